import type { Context } from "../context.js";
import { ErrorAnswer } from "./error-codes.js";
import { JSON_TYPE } from "./fixed-headers.js";

export const INTERNAL_ERROR = new ErrorAnswer(
  "internal_error",
  "The service failed; the failure was logged. Try again later.",
);

/** Headers that describe the body which the error replaces. */
const OF_THE_BODY = [
  "Content-Encoding",
  "ETag",
  "Last-Modified",
  "Content-Range",
  "Transfer-Encoding",
  "Trailer",
];

/**
 * Answers with an Error body. A middleware that may refuse many requests at once, such as those of a flood, calls this
 * function and does not throw: a throw takes as long as a whole answer.
 */
export function answerError(ctx: Context, error: ErrorAnswer): void {
  const { res, state } = ctx;
  if (res.headersSent) return;
  state.errorCode = error.code;
  if (ctx.body !== undefined) for (const name of OF_THE_BODY) ctx.remove(name);
  ctx.status = error.status;
  ctx.set(JSON_TYPE);
  ctx.set(error.headers);
  ctx.body = error.body;
}
