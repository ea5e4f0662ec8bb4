import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Logger, pino } from "pino";

/** How much is kept for a reader that does not read, in bytes. */
const MAX_BUFFER = 8 * 1024 * 1024;

/** What a pipe takes as a whole (PIPE_BUF), in bytes. */
const MAX_WRITE = 4096;

/** How much of an error's message, and of its stack, is logged, in characters. */
const MAX_TEXT = 10_000;

/** Logs to standard output: JSON, or readable lines on a terminal. @param redact removes secrets from messages */
export async function createLog(level: string, redact: (text: string) => string): Promise<Logger> {
  const serializers = { err: (error: unknown) => serializeError(error, redact), msg: redact };
  if (process.stdout.isTTY) {
    const { default: pretty } = await import("pino-pretty");
    return pino({ level, serializers }, pretty({ sync: true, singleLine: true, ignore: "pid,hostname" }));
  }
  let isWritable = true;
  const destination = pino.destination({
    sync: false,
    // Buffered: a write for each line would cost more than a request.
    minLength: MAX_WRITE / 2,
    maxWrite: MAX_WRITE,
    periodicFlush: 100,
    maxLength: MAX_BUFFER,
    retryEAGAIN: () => isWritable,
  });
  const log = pino({ level, serializers }, destination);
  let dropped = 0;
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
  // Before pino's own listener, which would wait for the reader or for room on the disk.
  process.prependListener("exit", () => {
    if (isWritable) {
      isWritable = false;
      try {
        destination.flushSync();
      } catch {}
    }
    destination.destroy();
  });
  return log;
}

/** Resolves once the log is written, or nothing has taken it for a second. */
export async function flushLog(log: Logger): Promise<void> {
  const flush = promisify<void>((done) => log.flush(done));
  // The first may find a write under way, and leave what was logged since.
  const flushed = flush()
    .then(flush)
    .catch(() => undefined);
  await Promise.race([flushed, sleep(1000)]);
}

/**
 * Leaves out members that drivers add to their errors, which may contain client data. Unlike pino's own serializer it neither
 * throws nor changes the error, which may be frozen, or have getters that throw.
 */
export function serializeError(error: unknown, redact: (text: string) => string): unknown {
  try {
    if (!(error instanceof Error)) return redact(String(error));
    const errors = new Set<Error>();
    // Causes may be circular.
    for (let next: unknown = error; next instanceof Error && !errors.has(next); next = next.cause) {
      errors.add(next);
    }
    const join = (member: "message" | "stack", separator: string) =>
      redact(Array.from(errors, (each) => each[member]).join(separator)).slice(0, MAX_TEXT);
    const { code } = error as { code?: unknown };
    return {
      type: error.constructor.name,
      message: join("message", ": "),
      code: typeof code === "number" || code === undefined ? code : redact(String(code)),
      stack: join("stack", "\ncaused by: "),
    };
  } catch {
    return "an error that cannot be read";
  }
}
