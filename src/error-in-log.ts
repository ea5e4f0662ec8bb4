import { pino } from "pino";

/**
 * What a line of the log has of an error, with the causes in message and stack. Without what drivers add to theirs,
 * which may hold what was sent, and cut so that the line stays below PIPE_BUF (`log.ts`): three hosts of MongoDB that
 * are away made 3.3 KB.
 */
export function errorInLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message: message.slice(0, 500), code, stack: stack.slice(0, 2500) };
}
