import { spawnSync } from "node:child_process";

/**
 * Whether a program that is not of this project is installed. Where it is missing, CI fails, and elsewhere one line
 * says what is not tested.
 */
export function hasTool(command: string, what: string): boolean {
  const { error } = spawnSync(command, ["--version"]);
  if (!error) return true;
  if (process.env.CI) throw new Error(`${command} is not installed; ${what} cannot be tested.`);
  console.log(`  (${command} is not installed: ${what} is not tested)`);
  return false;
}
