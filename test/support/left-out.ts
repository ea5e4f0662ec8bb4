/** What this run leaves out, with what is missing. */
const leftOut = new Map<string, string>();

/** Has the last line of a run say that it left something out, and what includes it. */
export function leaveOut(what: string, toInclude: string): void {
  leftOut.set(what, toInclude);
}

// After the reporter's own summary.
process.on("exit", () => {
  if (leftOut.size === 0) return;
  const parts = [...leftOut].map(([what, toInclude]) => `${what} (${toInclude})`);
  console.log(`Left out: ${parts.join("; ")}.`);
});
