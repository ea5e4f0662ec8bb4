import { HttpError } from "../answer/error-codes.js";
import type { Context } from "../context.js";

// With and without the charset, since a range with a charset matches only a type with one.
const OFFERED = ["application/json", "application/json;charset=utf-8"];

/** Whether the `Accept` of a request allows JSON (RFC 9110, section 12.5.1). */
export function acceptsJson(ctx: Context): boolean {
  const { accept } = ctx.req.headers;
  return accept === "*/*" || accept === "application/json" || Boolean(ctx.accepts(OFFERED));
}

export const NOT_ACCEPTABLE = new HttpError(
  "not_acceptable",
  "Every answer is application/json; allow it in the Accept header.",
);
