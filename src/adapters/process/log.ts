import { setTimeout as sleep } from "node:timers/promises";
import { type Logger, pino } from "pino";

/** Logs to standard output: JSON, or readable lines on a terminal. @param redact masks secrets in a text */
export async function createLog(level: string, redact: (text: string) => string): Promise<Logger> {
  const options = { level, serializers: serializers(redact) };
  if (process.stdout.isTTY) {
    const { default: pretty } = await import("pino-pretty");
    return pino(options, pretty({ sync: true, singleLine: true, ignore: "pid,hostname" }));
  }
  let isWritable = true;
  let dropped = 0;
  const destination = pino.destination({
    sync: false,
    // A write for each line would cost more than a request. A pipe takes 4096 bytes (PIPE_BUF) as a whole.
    minLength: 2048,
    maxWrite: 4096,
    periodicFlush: 100,
    // Beyond 8 MiB, lines are dropped while nobody reads.
    maxLength: 8 * 1024 * 1024,
    retryEAGAIN: () => isWritable,
  });
  const log = pino(options, destination);
  destination.on("drop", () => dropped++);
  destination.on("drain", () => {
    isWritable = true;
    if (dropped > 0) log.error({ lines: dropped }, "log lines were dropped, since nothing took them in time");
    dropped = 0;
  });
  // A full disk must not crash the service.
  destination.on("error", ({ message }: Error) => {
    if (isWritable) console.error(`petstore: the log cannot be written: ${message}`);
    isWritable = false;
  });
  // Runs before pino's own listener, which would wait for the reader or for room on the disk.
  process.prependListener("exit", () => {
    const wasWritable = isWritable;
    isWritable = false;
    try {
      if (wasWritable) destination.flushSync();
    } catch {}
    destination.destroy();
  });
  return log;
}

/** Resolves to true once the log is written, to false if nothing takes it for a second. */
export async function flushLog(log: Logger): Promise<boolean> {
  // Ignores the error of a pipe, which is written but cannot be synced.
  const flush = () => new Promise<void>((resolve) => log.flush(() => resolve()));
  // The first flush may find a write under way, and leave newer lines to the second.
  const flushed = flush().then(flush);
  return Promise.race([flushed.then(() => true), sleep(1000, false)]);
}

/**
 * Returns serializers that leave out secrets, and the members that drivers add to errors (client data).
 * Those of pino log such members, and throw if an error is frozen or a getter throws.
 */
export function serializers(redact: (text: string) => string) {
  function msg(text: string): string {
    const start = text.slice(0, 10_000);
    // Half a URL would not be recognised, so it is cut off.
    const isWhole = start === text || !start.includes(":");
    return redact(isWhole ? start : start.slice(0, start.lastIndexOf(" ") + 1));
  }
  function err(error: unknown): unknown {
    try {
      if (!(error instanceof Error)) return msg(String(error));
      const errors = new Set<Error>();
      // Causes may be circular.
      for (let next: unknown = error; next instanceof Error && !errors.has(next); next = next.cause) {
        errors.add(next);
      }
      const { code } = error as { code?: unknown };
      return {
        type: error.constructor.name,
        message: msg(Array.from(errors, ({ message }) => message).join(": ")),
        code: typeof code === "number" || code === undefined ? code : msg(String(code)),
        stack: msg(Array.from(errors, ({ stack }) => stack).join("\ncaused by: ")),
      };
    } catch {
      return "an error that cannot be read";
    }
  }
  return { msg, err };
}
