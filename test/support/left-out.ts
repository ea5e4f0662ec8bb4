/** The parts that this process leaves out, each with the way to include it. */
const leftOut = new Set<string>();

/** Adds to the last lines of the process that it has left out a part, and how to include that. */
export function leaveOut(what: string, toInclude: string): void {
  leftOut.add(`${what} (${toInclude})\n`);
}

// On exit, which comes after the reporter's own summary.
process.on("exit", () => {
  if (leftOut.size > 0) console.log(`Left out:\n${[...leftOut].join("")}`);
});
