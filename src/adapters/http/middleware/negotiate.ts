import { answerError } from "../answer/answer-error.js";
import { ErrorAnswer } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

// With and without the charset, since a range with a charset matches only a type with one.
const OFFERED = ["application/json", "application/json;charset=utf-8"];

/** The longest `Accept` that is read. Browsers send some 150 bytes; Koa compares every range with what is offered. */
const MOST = { bytes: 512, ranges: 32 };

const NOT_ACCEPTABLE = new ErrorAnswer(
  "not_acceptable",
  "Every answer is application/json; allow it in a short Accept header.",
);

/** Refuses a request of an operation whose `Accept` does not allow JSON (RFC 9110, section 12.5.1). */
export const negotiate: Handler = (ctx, next) => {
  const { accept = "*/*" } = ctx.req.headers;
  if (!ctx.state.route?.operationId || accept === "*/*" || accept === OFFERED[0]) return next();
  const isShort = accept.length <= MOST.bytes && accept.split(",").length <= MOST.ranges;
  return isShort && ctx.accepts(OFFERED) ? next() : answerError(ctx, NOT_ACCEPTABLE);
};
