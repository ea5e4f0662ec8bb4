/** A command cannot go on, and the message says why. `command-line.ts` prints it, and ends with the exit code. */
export class Failure extends Error {
  constructor(
    message: string,
    /** 1: it failed; 2: the command line needs correcting, and nothing was done; 128 + n: signal n ended it. */
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/** The exit codes that shells give to a program that a signal has ended. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** A signal that aborts at SIGINT or SIGTERM, with a Failure; the same of these again ends the process at once. */
export function interruption(message: () => string): AbortSignal {
  const controller = new AbortController();
  const interrupt = (signal: keyof typeof EXIT_CODES) => {
    controller.abort(new Failure(message(), EXIT_CODES[signal]));
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  return controller.signal;
}
