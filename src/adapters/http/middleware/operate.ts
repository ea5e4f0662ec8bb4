import { answerError } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Context, Handler } from "../context.js";

/**
 * Calls the handler of the route. Comes last.
 *
 * @param hint goes into the message for a path that leads nowhere
 */
export function operate(hint: string): Handler {
  return (ctx, next) => {
    const { state } = ctx;
    const { route } = state;
    if (!route) return answerError(ctx, routeNotFound(ctx.path, hint));
    state.isRouted = true;
    if (route.operationId && !acceptsJson(ctx)) return answerError(ctx, NOT_ACCEPTABLE);
    return route.handle(ctx, next);
  };
}

function routeNotFound(path: string, hint: string): HttpError {
  const mend = /[^/]\/$/.test(path) ? "paths end without a slash: leave it out." : hint;
  return new HttpError("route_not_found", `There is nothing at this path; ${mend}`);
}

// With and without the charset, since a range with a charset matches only a type with one.
const OFFERED = ["application/json", "application/json;charset=utf-8"];

/** The longest `Accept` that is read, in bytes: Koa may take as long for one as the square of its length. */
const ACCEPT_LIMIT = 4096;

/** Whether the `Accept` of a request allows JSON (RFC 9110, section 12.5.1). */
function acceptsJson(ctx: Context): boolean {
  const { accept = "" } = ctx.req.headers;
  if (accept === "*/*" || accept === "application/json") return true;
  return accept.length <= ACCEPT_LIMIT && Boolean(ctx.accepts(OFFERED));
}

const NOT_ACCEPTABLE = new HttpError(
  "not_acceptable",
  "Every answer is application/json; allow it in the Accept header.",
);
