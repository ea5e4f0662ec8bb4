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

describe("A test or a suite", () => {
  it("fails if it leaves something behind, and its suite if that keeps the process from ending", () => {
    const failures = failuresOf("leaks.it.js");
    const suites = ["timer", "server", "child process", "thread"].map(
      (kind) => `${kind} "after all" hook: leaves nothing behind for "leaks"`,
    );
    expect(Object.keys(failures)).to.have.members([...suites, "a test variable", "a test file"]);
    for (const message of Object.values(failures)) expect(message).to.match(/^It left behind: /);
  });

  it("fails if it does what its tier forbids, and not for a callback of another test", () => {
    expect(failuresOf("late.it.js", "late.js")).to.deep.equal({
      "a unit test may not connect": "The tier of this test (unit) allows no socket.",
    });
  });
});
