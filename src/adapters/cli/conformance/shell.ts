import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Failure } from "../failure.js";

/** How long a command of the operator may take, in milliseconds. Its output goes to standard error. */
const OPTIONS = { stdio: ["ignore", 2, 2] as ["ignore", 2, 2], timeout: 60_000 };

/**
 * Runs a shell command, which finds the arguments as $1 and so on. If the command names none of them, they
 * are appended to it.
 *
 * @throws Failure with exit code 1: the storage is not at fault, so the run ends
 */
export async function runShell(command: string, ...args: string[]): Promise<void> {
  const script = args.length === 0 || /\$\{?[1-9@*]/.test(command) ? command : `${command} "$@"`;
  const child = spawn("/bin/sh", ["-c", script, "petstore", ...args], OPTIONS);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== 0) {
    throw new Failure(`The command failed with ${signal ?? `exit code ${code}`}: ${command}`, 1);
  }
}

/** Runs a shell command while the process ends, when nothing can be awaited. */
export function runShellNow(command: string): void {
  spawnSync("/bin/sh", ["-c", command], OPTIONS);
}
