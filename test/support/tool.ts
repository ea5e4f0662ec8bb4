import { spawnSync } from "node:child_process";
import { leaveOut } from "./left-out.js";

/** Leaves the enclosing suite out if a program from outside this project is missing, as `hasTool` has it. */
export function needTools(what: string, ...commands: readonly string[]): void {
  before(function () {
    if (!commands.every((command) => hasTool(command, what))) this.skip();
  });
}

/**
 * Whether a program from outside this project is installed. If it is missing, CI fails; on other machines the
 * last line of the run says what is not tested.
 */
export function hasTool(command: string, what: string): boolean {
  const { error } = spawnSync(command, ["--version"]);
  if (!error) return true;
  if (process.env.CI) throw new Error(`${command} is not installed; ${what} cannot be tested.`);
  leaveOut(what, `install ${command}`);
  return false;
}
