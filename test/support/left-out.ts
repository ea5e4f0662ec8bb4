/** The parts that this process leaves out, each with the way to include it. */
const leftOut = new Set<string>();

/** Adds to the last lines of the process that it has left out a part, and how to include that. */
export function leaveOut(what: string, toInclude: string): void {
  leftOut.add(`${what} (${toInclude})\n`);
}

/** Registers a suite. If what it needs is missing, the suite is left out, or in CI fails. */
export function describeIf(has: boolean, title: string, what: string, howTo: string, suite: () => void) {
  if (has) describe(title, suite);
  else if (process.env.CI) {
    describe(title, () => {
      it("has what it needs to run", () => {
        throw new Error(`${what} cannot be tested: ${howTo}.`);
      });
    });
  } else {
    leaveOut(what, howTo);
    describe.skip(title, suite);
  }
}

// On exit, which comes after the reporter's own summary.
process.on("exit", () => {
  if (leftOut.size > 0) console.log(`Left out:\n${[...leftOut].join("")}`);
});
