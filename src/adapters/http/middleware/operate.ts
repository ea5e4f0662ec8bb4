import { answerError } from "../answer/answer-error.js";
import { ErrorAnswer } from "../answer/error-codes.js";
import { readBody } from "../body/request-body.js";
import type { Handler } from "../context.js";
import { acceptsJson } from "../headers/accept.js";

/** The share of the places that one key may take, so that another one always finds some. */
const SHARE_OF_KEY = 0.9;

/**
 * What becomes of a request from its route to its handler. Comes last.
 *
 * @param hint goes into the message for a path that leads nowhere
 * @param places how many requests of operations may be in their handlers at once; further ones get 503 at once, so that
 * these stay fast. A handler must not wait for a client.
 */
export function operate(hint: string, places: number): Handler {
  const placesOfKey = Math.ceil(places * SHARE_OF_KEY);
  const taken = new Map<string | undefined, number>();
  let inFlight = 0;
  return async (ctx, next) => {
    const { route, key } = ctx.state;
    if (!route) return answerError(ctx, routeNotFound(ctx.path, hint));
    ctx.state.isRouted = true;
    if (!route.operationId) return route.handle(ctx, next);
    if (!acceptsJson(ctx)) return answerError(ctx, NOT_ACCEPTABLE);
    if (route.needsBody) await readBody(ctx);
    const ofKey = taken.get(key?.id) ?? 0;
    if (inFlight >= places || ofKey >= placesOfKey) return answerError(ctx, OVERLOADED);
    inFlight += 1;
    taken.set(key?.id, ofKey + 1);
    try {
      await route.handle(ctx, next);
    } finally {
      inFlight -= 1;
      const left = (taken.get(key?.id) as number) - 1;
      if (left > 0) taken.set(key?.id, left);
      else taken.delete(key?.id);
    }
  };
}

function routeNotFound(path: string, hint: string): ErrorAnswer {
  const mend = /[^/]\/$/.test(path) ? "paths end without a slash: leave it out." : hint;
  return new ErrorAnswer("route_not_found", `There is nothing at this path; ${mend}`);
}

const NOT_ACCEPTABLE = new ErrorAnswer(
  "not_acceptable",
  "Every answer is application/json; allow it in a short Accept header.",
);

const OVERLOADED = new ErrorAnswer(
  "overloaded",
  "The service has too many requests in flight; try again later.",
);
