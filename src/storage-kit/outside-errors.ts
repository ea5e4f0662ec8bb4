import { CallFailed, describeError } from "./messages.js";

const EVENTS = ["uncaughtException", "unhandledRejection"];

/** The running cases. */
const running = new Set<AbortController>();
let release = () => {};

/**
 * Watches for errors outside of any operation, e.g. of an idle connection, which would end the service. The signal aborts
 * at the first one; the test runner, which could not tell the rule, does not get it.
 */
export function watchOutsideErrors(): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  if (running.size === 0) release = replaceListeners();
  running.add(controller);
  return {
    signal: controller.signal,
    stop() {
      running.delete(controller);
      if (running.size === 0) release();
    },
  };
}

function replaceListeners(): () => void {
  const abort = (error: unknown) => {
    const text = `an error outside of any operation, which would end the service: ${describeError(error)}`;
    for (const controller of running) controller.abort(new CallFailed("outside", text, { cause: error }));
  };
  const restore = EVENTS.map((event) => {
    const listeners = process.rawListeners(event) as (() => void)[];
    process.removeAllListeners(event).on(event, abort);
    return () => {
      process.off(event, abort);
      for (const listener of listeners) process.on(event, listener);
    };
  });
  return () => {
    for (const undo of restore) undo();
  };
}
