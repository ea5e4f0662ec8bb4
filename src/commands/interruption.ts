/** How long a hung storage may hold a command, in milliseconds: longer than SQLite waits for a lock, when an exit would crash. */
const LIMIT = 5000;

/** Aborts on SIGINT and SIGTERM, so that a command can close its storages. The reason is an Error with an `exitCode`. */
export function interruption(message: string, beforeExit: () => void): AbortSignal {
  const controller = new AbortController();
  for (const [signal, exitCode] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
    process.once(signal, () => {
      controller.abort(Object.assign(new Error(message), { exitCode }));
      setTimeout(() => {
        beforeExit();
        console.error(`petstore: ${message}`);
        process.exit(exitCode);
      }, LIMIT);
    });
  }
  return controller.signal;
}
