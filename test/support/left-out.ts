import { appendFileSync } from "node:fs";

/** The parts that this process leaves out, each with the way to include it. */
const leftOut = new Set<string>();

/** Adds to the last lines of the run that it has left out a part, and how to include that. */
export function leaveOut(what: string, toInclude: string): void {
  leftOut.add(`${what} (${toInclude})\n`);
}

// On exit, which comes after the reporter's own summary.
process.on("exit", () => {
  if (leftOut.size === 0) return;
  const parts = [...leftOut].join("");
  // `test/all` collects what its processes leave out.
  if (process.env.PETSTORE_TEST_LEFT_OUT) appendFileSync(process.env.PETSTORE_TEST_LEFT_OUT, parts);
  else console.log(`Left out:\n${parts}`);
});
