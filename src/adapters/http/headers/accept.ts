import type { Context } from "../context.js";

// With and without the charset, since a range with a charset matches only a type with one.
const OFFERED = ["application/json", "application/json;charset=utf-8"];

/** The longest `Accept` that is read. Browsers send some 150 bytes; Koa compares every range with what is offered. */
const MOST = { bytes: 512, ranges: 32 };

/** Whether the `Accept` of a request allows JSON (RFC 9110, section 12.5.1). One that is too long does not. */
export function acceptsJson(ctx: Context): boolean {
  const { accept = "*/*" } = ctx.req.headers;
  if (accept === "*/*" || accept === OFFERED[0]) return true;
  const isShort = accept.length <= MOST.bytes && accept.split(",").length <= MOST.ranges;
  return isShort && ctx.accepts(OFFERED) !== false;
}
