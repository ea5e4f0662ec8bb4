import { spawn } from "node:child_process";
import { once } from "node:events";

/** How long a command of the operator may take, in milliseconds. */
const PATIENCE = 60_000;

/**
 * Runs a shell command, which finds the arguments as $1 and so on. If the command names none of them, they
 * are appended to it. Its output goes to standard error.
 *
 * @throws Error if the command fails
 */
export async function runShell(command: string, ...args: string[]): Promise<void> {
  const script = args.length === 0 || /\$\{?[1-9@*]/.test(command) ? command : `${command} "$@"`;
  const child = spawn("/bin/sh", ["-c", script, "petstore", ...args], {
    stdio: ["ignore", process.stderr, process.stderr],
    timeout: PATIENCE,
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== 0) {
    throw new Error(`The command failed with ${signal ?? `exit code ${code}`}: ${command}`);
  }
}
