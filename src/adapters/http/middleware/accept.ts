import { answerError } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

// With and without the charset, since a range with a charset matches only a type with one.
const OFFERED = ["application/json", "application/json;charset=utf-8"];

/** Refuses a request whose `Accept` rules out JSON (RFC 9110, section 12.5.1) before it reaches the handler. */
export function json(handle: Handler): Handler {
  return (ctx, next) => {
    const { accept } = ctx.req.headers;
    if (!accept || accept === "*/*" || accept === "application/json" || ctx.accepts(OFFERED)) {
      return handle(ctx, next);
    }
    return answerError(ctx, NOT_ACCEPTABLE);
  };
}

const NOT_ACCEPTABLE = new HttpError(
  "not_acceptable",
  "Every answer is application/json; allow it in the Accept header.",
);
