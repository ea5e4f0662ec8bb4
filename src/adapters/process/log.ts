import { type Logger, pino, stdSerializers } from "pino";

/** Logs to standard output: JSON, or readable lines on a terminal. @param redact removes secrets from errors */
export async function createLog(level: string, redact: (text: string) => string): Promise<Logger> {
  const serializers = { err: (error: unknown) => serializeError(error, redact) };
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
  // Buffered: a write for each line would cost more than a request. pino flushes at exit.
  const destination = pino.destination({ sync: false, minLength: 4096, periodicFlush: 100 });
  // A full disk must neither crash the service nor keep it from exiting: pino would retry at exit.
  destination.once("error", ({ message }: Error) => {
    console.error(`petstore: the log cannot be written: ${message}`);
    process.prependOnceListener("exit", () => destination.destroy());
  });
  destination.on("error", () => {});
  return pino({ level, serializers }, destination);
}

/** Leaves out members that drivers add to their errors, which may contain client data. */
function serializeError(error: unknown, redact: (text: string) => string): unknown {
  if (!(error instanceof Error)) return redact(String(error));
  const { type, message, stack, code } = stdSerializers.err(error);
  return { type, message: redact(message), code, stack: redact(stack) };
}
