/** Limit for a hung storage (ms): longer than SQLite waits for a lock, when an exit would crash. */
const LIMIT = 5000;

/** Aborts on SIGINT and SIGTERM, for an Error with an `exitCode`, so that commands close their storages. */
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
