import { answerError } from "../answer/answer-error.js";
import { ErrorAnswer } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

/**
 * Refuses a path that leads nowhere.
 *
 * @param hint goes into the message
 */
export function requireRoute(hint: string): Handler {
  return (ctx, next) => {
    if (!ctx.state.route) return answerError(ctx, routeNotFound(ctx.path, hint));
    ctx.state.isRouted = true;
    return next();
  };
}

/** Calls the handler of the route. Comes last. */
export const operate: Handler = (ctx, next) => ctx.state.route?.handle(ctx, next);

function routeNotFound(path: string, hint: string): ErrorAnswer {
  const mend = /[^/]\/$/.test(path) ? "paths end without a slash: leave it out." : hint;
  return new ErrorAnswer("route_not_found", `There is nothing at this path; ${mend}`);
}
