/** Ends a command: the program prints the message, which says what to do. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: 1 | 2 | 130 | 143,
  ) {
    super(message);
  }
}

/** Aborts on SIGINT and SIGTERM, so that a command can close its storages: exiting while SQLite writes would crash. */
export function interruption(message: string, beforeExit: () => void): AbortSignal {
  const controller = new AbortController();
  const interrupt = (exitCode: 130 | 143) => () => {
    controller.abort(new Failure(message, exitCode));
    // In case a storage hangs: longer than SQLite waits for a lock, since an exit meanwhile would crash.
    setTimeout(() => {
      beforeExit();
      console.error(`petstore: ${message}`);
      process.exit(exitCode);
    }, 5000);
  };
  process.once("SIGINT", interrupt(130)).once("SIGTERM", interrupt(143));
  return controller.signal;
}
