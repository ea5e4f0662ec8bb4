import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";

/** Runs mocha over planted files, and gives the messages of its failures by the names of the tests. */
function failuresOf(...files: string[]): Record<string, string> {
  const paths = files.map((file) => join(import.meta.dirname, "planted", file));
  const args = ["node_modules/mocha/bin/mocha.js", "--exit", "--reporter", "json", ...paths];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const { failures } = JSON.parse(stdout) as { failures: { fullTitle: string; err: Error }[] };
  return Object.fromEntries(failures.map(({ fullTitle, err }) => [fullTitle, err.message]));
}

describe("A test", () => {
  it("fails by name if it leaves something behind", () => {
    const failures = failuresOf("leaks.it.js");
    const kinds = "timer, interval, sleep, server, socket, child process, thread, variable, file".split(", ");
    const ofSuite = 'a suite "after all" hook: leaves nothing behind for "runs"';
    const ofTests = kinds.map((kind) => `a file of tests ${kind}`);
    expect(Object.keys(failures)).to.have.members([...ofTests, ofSuite]);
    for (const message of Object.values(failures)) expect(message).to.match(/^It left behind: [^;]*$/);
  });

  it("fails if it does what its tier forbids, and not for a callback of another test", () => {
    expect(failuresOf("late.it.js", "late.js")).to.deep.equal({
      "a unit test may not connect": "The tier of this test (unit) allows no socket.",
    });
  });
});
