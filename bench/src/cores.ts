import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

// Servers on the first core and the load on the second, so that neither takes the other's time. Without Linux's
// `taskset`, or on one core, the system places them.

const canPin = (() => {
  try {
    execFileSync("taskset", ["--version"]);
    return availableParallelism() > 1;
  } catch {
    return false;
  }
})();

export const PLACEMENT = canPin ? "server on core 0, load on core 1" : "cores chosen by the system";

/** Moves this process, and each thread of it, to the core that makes the load. */
export function moveToLoadCore(): void {
  if (canPin) execFileSync("taskset", ["-a", "-p", "-c", "1", String(process.pid)]);
}

/** The command that runs Node on the core of the servers. */
export function onServerCore(...nodeArguments: string[]): [command: string, ...rest: string[]] {
  return canPin
    ? ["taskset", "-c", "0", process.execPath, ...nodeArguments]
    : [process.execPath, ...nodeArguments];
}

/** The command that runs Node on any core, from a process that is bound to one. */
export function onAnyCore(...nodeArguments: string[]): [command: string, ...rest: string[]] {
  return canPin
    ? ["taskset", "-c", `0-${availableParallelism() - 1}`, process.execPath, ...nodeArguments]
    : [process.execPath, ...nodeArguments];
}
