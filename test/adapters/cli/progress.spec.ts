import { expect } from "chai";
import { ProgressDisplay } from "../../../src/adapters/cli/progress.js";

describe("progress without a terminal", () => {
  const write = process.stderr.write;
  let lines: string[] = [];

  beforeEach(() => {
    lines = [];
    process.stderr.write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
  });
  afterEach(() => {
    process.stderr.write = write;
  });

  const step = (done: number, total = 100) => ({ title: "copying", done, total, unit: "pets" });

  it("is a line now and then, with pets, pets/s and the time left", async () => {
    const display = new ProgressDisplay(false, 0);
    display.show(step(0));
    await new Promise((resolve) => setTimeout(resolve, 20));
    display.show(step(50));
    display.show(step(100));
    expect(lines[0]).to.equal("copying: 0 of about 100 pets\n");
    expect(lines[1]).to.match(/^copying: 50 of about 100 pets, \d+ pets\/s, about \d s left\n$/);
    expect(lines[2]).to.match(/^copying: 100 pets, \d+ pets\/s\n$/);
  });

  it("gives a long time left in minutes", async () => {
    const display = new ProgressDisplay(false, 0);
    display.show(step(0));
    await new Promise((resolve) => setTimeout(resolve, 20));
    display.show(step(50, 1_000_000_000));
    expect(lines[1]).to.match(/, about \d+ min left\n$/);
  });

  it("prints no line before its interval is over", () => {
    const display = new ProgressDisplay(false, 60_000);
    display.show(step(0));
    display.show(step(50));
    expect(lines).to.deep.equal([]);
  });

  it("shows neither total nor time left if there are more pets than estimated", () => {
    const display = new ProgressDisplay(false, 0);
    display.show(step(120));
    expect(lines).to.deep.equal(["copying: 120 pets\n"]);
  });
});
