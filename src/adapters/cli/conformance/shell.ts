import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Failure } from "../failure.js";

/** How long a command of the operator may take, in milliseconds. */
const LIMIT = 60_000;

/** Output of a command goes to standard error. */
const OPTIONS = { stdio: ["ignore", 2, 2] as ["ignore", 2, 2] };

/**
 * Runs a shell command, which finds the arguments as $1 and so on. If the command names none of them, they
 * are appended to it.
 *
 * @throws Failure with exit code 1: the storage is not at fault, so the run ends
 */
export async function runShell(command: string, ...args: string[]): Promise<void> {
  const script = args.length === 0 || /\$\{?[1-9@*]/.test(command) ? command : `${command} "$@"`;
  const child = spawn("/bin/sh", ["-c", script, "petstore", ...args], { ...OPTIONS, detached: true });
  // With all that it started. If it ends by itself, what it started in the background stays.
  const kill = () => child.pid && child.exitCode === null && process.kill(-child.pid, "SIGKILL");
  const timer = setTimeout(kill, LIMIT);
  process.once("exit", kill);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(timer);
  process.off("exit", kill);
  if (code !== 0) {
    throw new Failure(`The command failed with ${signal ?? `exit code ${code}`}: ${command}`, 1);
  }
}

/** Runs a shell command while the process ends, when nothing can be awaited. */
export function runShellNow(command: string): void {
  spawnSync("/bin/sh", ["-c", command], { ...OPTIONS, timeout: LIMIT });
}
