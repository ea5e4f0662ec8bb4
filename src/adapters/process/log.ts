import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Logger, pino } from "pino";

/** How much is kept for a reader that does not read, in bytes. */
const MAX_BUFFER = 8 * 1024 * 1024;

/** What a pipe takes as a whole (PIPE_BUF), in bytes. */
const MAX_WRITE = 4096;

/** How much of an error is logged: characters of its message and of its stack, and causes, which may be circular. */
const MAX_TEXT = 10_000;
const MAX_CAUSES = 8;

/** Logs to standard output: JSON, or readable lines on a terminal. @param redact removes secrets from messages */
export async function createLog(level: string, redact: (text: string) => string): Promise<Logger> {
  const serializers = { err: (error: unknown) => serializeError(error, redact), msg: redact };
  if (process.stdout.isTTY) {
    const { default: pretty } = await import("pino-pretty");
    const terminal = pretty({
      colorize: process.stdout.hasColors(),
      sync: true,
      singleLine: true,
      ignore: "pid,hostname",
    });
    return pino({ level, serializers }, terminal);
  }
  let isExiting = false;
  const destination = pino.destination({
    sync: false,
    // Buffered: a write for each line would cost more than a request.
    minLength: MAX_WRITE / 2,
    maxWrite: MAX_WRITE,
    periodicFlush: 100,
    maxLength: MAX_BUFFER,
    retryEAGAIN: () => !isExiting,
  });
  const log = pino({ level, serializers }, destination);
  let dropped = 0;
  destination.on("drop", () => dropped++);
  let isFailing = false;
  destination.on("drain", () => {
    const lines = dropped;
    dropped = 0;
    isFailing = false;
    if (lines > 0) log.error({ lines }, "log lines were dropped, since nothing took them in time");
  });
  destination.once("error", ({ message }: Error) => {
    console.error(`petstore: the log cannot be written: ${message}`);
  });
  // A full disk must not crash the service.
  destination.on("error", () => {
    isFailing = true;
  });
  // Before pino's own listener, which would wait for the reader or for room on the disk.
  process.prependListener("exit", () => {
    isExiting = true;
    try {
      if (!isFailing) destination.flushSync();
    } catch {}
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
    const { code } = error as NodeJS.ErrnoException;
    const causes: Error[] = [];
    for (let next: unknown = error; next instanceof Error && causes.length < MAX_CAUSES; next = next.cause) {
      causes.push(next);
    }
    const join = (texts: unknown[], separator: string) => redact(texts.join(separator)).slice(0, MAX_TEXT);
    return {
      type: error.constructor.name,
      message: join(
        causes.map(({ message }) => message),
        ": ",
      ),
      code: typeof code === "number" ? code : code && redact(String(code)),
      stack: join(
        causes.map(({ stack }) => stack),
        "\ncaused by: ",
      ),
    };
  } catch {
    return "an error that cannot be read";
  }
}
