import { on } from "node:events";
import { isatty } from "node:tty";
import type { Logger } from "pino";

/** Whether a terminal started the program: its close then stops the service by SIGHUP. nohup(1) takes it all away. */
const HAS_TERMINAL = [0, 1, 2].some((descriptor) => isatty(descriptor));

const STOPPING = ["SIGTERM", "SIGINT", ...(HAS_TERMINAL ? ["SIGHUP"] : [])];

/** A second signal within this time of the first, in milliseconds, counts as the same: timeout(1) sends it twice. */
const SAME_SIGNAL = 100;

/** Resolves with the first signal that stops the service. A second one ends the process at once, as signals do. */
export function signalled(): Promise<string> {
  return new Promise((resolve) => {
    const onSignal = (signal: string) => {
      resolve(signal);
      setTimeout(() => {
        for (const name of STOPPING) process.off(name, onSignal);
      }, SAME_SIGNAL).unref();
    };
    for (const name of STOPPING) process.on(name, onSignal);
  });
}

/** Keeps SIGHUP from ending a service that no terminal started. Gives the way to log it, also what came before. */
export function ignoreHangups(): (log: Logger) => Promise<void> {
  if (HAS_TERMINAL) return async () => {};
  const hangups = on(process, "SIGHUP");
  return async (log) => {
    for await (const _ of hangups) log.warn("SIGHUP ignored: the service stops by SIGTERM or SIGINT");
  };
}
