import type { Context, Handler } from "../context.js";
import { HttpError } from "../http-error.js";
import { readBody } from "./read-body.js";

/** Runs an operation. If it takes a body, its text is in `ctx.request.body`. */
export type Operation = (ctx: Context) => void | Promise<void>;

export type Operate = ReturnType<typeof operations>;

/** Creates the handlers of operations. Rejects more than `maxInFlight` at once, to protect the latency of the others. */
export function operations(maxInFlight: number) {
  let inFlight = 0;
  return (id: string, operation: Operation, { takesBody = false, isDeprecated = false } = {}): Handler =>
    async (ctx) => {
      ctx.state.operation = id;
      ctx.state.isDeprecated = isDeprecated;
      const { accept = "*/*" } = ctx.req.headers;
      if (accept !== "*/*" && !ctx.accepts(OFFERED)) throw NOT_ACCEPTABLE;
      // Before the request counts as in flight: its client may be slow.
      if (takesBody) await readBody(ctx);
      if (inFlight >= maxInFlight) throw OVERLOADED;
      inFlight += 1;
      try {
        await operation(ctx);
      } finally {
        inFlight -= 1;
      }
    };
}

/** An Accept range with a charset matches only a type with one. */
const OFFERED = ["application/json", "application/json;charset=utf-8"];

const NOT_ACCEPTABLE = new HttpError("not_acceptable", "Allow application/json in the Accept header.");
const OVERLOADED = new HttpError("overloaded", "Too many requests are in flight; try again later.");
