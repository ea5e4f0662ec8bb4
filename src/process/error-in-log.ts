import { pino } from "pino";

/**
 * What a line of the log has of an error, with the causes in message and stack. Without what drivers add to theirs,
 * which may hold what was sent, and cut so that the line stays below PIPE_BUF (`log.ts`): three hosts of MongoDB that
 * are away made 3.3 KB.
 */
export function errorInLog(error: unknown): unknown {
  if (!(error instanceof Error)) return cut(error, 500);
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message: cut(message, 500), code, stack: cut(stack, 2500) };
}

/** The start of a text, whose JSON takes at most so many bytes. */
function cut(value: unknown, bytes: number): string {
  let text = String(value).slice(0, bytes);
  while (Buffer.byteLength(JSON.stringify(text)) > bytes + '""'.length) {
    text = text.slice(0, Math.floor(text.length * 0.9));
  }
  return text;
}
