import { spawnSync } from "node:child_process";

/** The parts that this process leaves out, each with the way to include it. */
const leftOut = new Set<string>();

// The reporter prints its own summary before the exit.
process.on("exit", () => {
  if (leftOut.size > 0) console.log(`Left out:\n${[...leftOut].join("\n")}\n`);
});

/** Leaves a part out, and lists it at the end of the run. In CI this fails. */
export function leaveOut(what: string, howTo: string): void {
  if (process.env.CI) throw new Error(`${what} cannot be tested: ${howTo}.`);
  leftOut.add(`${what} (${howTo})`);
}

/** Registers a suite, or leaves it out if its needs are not met. */
export function describeIf(has: boolean, title: string, what: string, howTo: string, suite: () => void) {
  if (has) describe(title, suite);
  else
    it(title, function () {
      leaveOut(what, howTo);
      this.skip();
    });
}

/** Leaves the enclosing suite out if a program from outside this project is missing. */
export function needTools(what: string, ...commands: readonly string[]): void {
  before(function () {
    if (!commands.every((command) => hasTool(command, what))) this.skip();
  });
}

export function hasTool(command: string, what: string): boolean {
  const isInstalled = !spawnSync(command, ["--version"]).error;
  if (!isInstalled) leaveOut(what, `install ${command}`);
  return isInstalled;
}
