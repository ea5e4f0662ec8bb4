/** A signal has ended a command early. */
export class Interrupted extends Error {
  /** @param exitCode as shells give it to a program that a signal has ended */
  constructor(readonly exitCode: number) {
    super("interrupted");
  }
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Calls `end` if a signal comes; a second one ends the process at once.
 *
 * @returns a function that stops listening
 */
export function onInterrupt(end: (reason: Interrupted) => void): () => void {
  const interrupt = (signal: keyof typeof EXIT_CODES) => end(new Interrupted(EXIT_CODES[signal]));
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  return () => void process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
}
