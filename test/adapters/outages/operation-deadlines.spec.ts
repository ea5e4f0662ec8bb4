import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { OperationDeadlines } from "../../../src/adapters/outages/operation-deadlines.js";

describe("OperationDeadlines", () => {
  it("gives up the late operations alone, whichever ended before them", async function () {
    this.timeout(10_000);
    const underWay = new OperationDeadlines();
    const ended: string[] = [];
    const settle = new Map<string, () => void>();
    const begin = (name: string) =>
      underWay.run(
        () => new Promise<void>((resolve) => settle.set(name, resolve)),
        () => ended.push(`${name} done`),
        () => ended.push(`${name} given up`),
      );

    for (const name of ["first", "second", "third", "fourth"]) begin(name);
    settle.get("first")?.();
    settle.get("third")?.();
    await sleep(600);
    begin("young");
    await sleep(4200);
    expect(ended).to.have.members(["first done", "third done", "second given up", "fourth given up"]);
    expect(underWay.size).to.equal(3);

    settle.get("second")?.();
    settle.get("young")?.();
    await sleep(0);
    expect(ended.slice(4)).to.deep.equal(["young done"]);
    expect(underWay.size).to.equal(1);
  });

  it("rejects if a storage throws in place of giving a promise, and counts nothing", async () => {
    const underWay = new OperationDeadlines();
    const thrown = new Error("thrown at once");
    const run = new Promise((resolve, reject) =>
      underWay.run(
        () => {
          throw thrown;
        },
        resolve,
        reject,
      ),
    );
    expect(await run.catch((error) => error)).to.equal(thrown);
    expect(underWay.size).to.equal(0);
  });
});
