/** The parts that this run leaves out, each with the way to include it. */
const leftOut = new Map<string, string>();

/** Adds to the last line of the run that it has left out a part, and how to include that. */
export function leaveOut(what: string, toInclude: string): void {
  leftOut.set(what, toInclude);
}

// On exit, which comes after the reporter's own summary.
process.on("exit", () => {
  if (leftOut.size === 0) return;
  const parts = [...leftOut].map(([what, toInclude]) => `${what} (${toInclude})`);
  console.log(`Left out: ${parts.join("; ")}.`);
});
