import { pino } from "pino";

/**
 * Gives the parts of an error that the log shows: type, code, message and stack, the causes included. Leaves out the
 * members that drivers add to their errors, since they may hold data of a client. Cuts long texts, so that the line stays
 * below PIPE_BUF (`log.ts`): the error of three MongoDB hosts that are away is 3.3 KB long.
 */
export function serializeError(error: unknown, hide: (text: string) => string): unknown {
  if (!(error instanceof Error)) return cut(hide(String(error)), 500);
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message: cut(hide(message), 500), code, stack: cut(hide(stack), 2500) };
}

/** The start of a text, whose JSON takes at most so many bytes. */
function cut(text: string, bytes: number): string {
  let start = text.slice(0, bytes);
  while (Buffer.byteLength(JSON.stringify(start)) > bytes + '""'.length) {
    start = start.slice(0, Math.floor(start.length * 0.9));
  }
  return start;
}
