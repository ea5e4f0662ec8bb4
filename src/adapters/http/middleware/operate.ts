import { answerError } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Handler } from "../context.js";
import { acceptsJson, NOT_ACCEPTABLE } from "../headers/accept.js";

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
