import { spawnSync } from "node:child_process";
import { leaveOut } from "./left-out.js";

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
