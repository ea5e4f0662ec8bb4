import type { Handler } from "../context.js";
import { HttpError } from "../http-error.js";
import { readBody } from "./read-body.js";

/** Runs the operation of a request. Rejects what exceeds the limit at once, to protect the latency of the others. */
export function perform(maxInFlight: number): Handler {
  let inFlight = 0;
  return async (ctx, next) => {
    const operation = ctx.state.route;
    if (!operation) return next();
    ctx.state.operation = operation;
    const { accept = "*/*" } = ctx.req.headers;
    if (accept !== "*/*" && !ctx.accepts(OFFERED)) throw NOT_ACCEPTABLE;
    // Before the request counts as in flight: its client may be slow.
    if (operation.method === "post") await readBody(ctx);
    if (inFlight >= maxInFlight) throw OVERLOADED;
    inFlight += 1;
    try {
      ctx.body = await operation.handle(ctx);
    } finally {
      inFlight -= 1;
    }
  };
}

/** An Accept range with a charset matches only a type with one. */
const OFFERED = ["application/json", "application/json;charset=utf-8"];

const NOT_ACCEPTABLE = new HttpError("not_acceptable", "Allow application/json in the Accept header.");
const OVERLOADED = new HttpError("overloaded", "Too many requests are in flight; try again later.");
