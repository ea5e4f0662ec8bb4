import { answerError } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

const OVERLOADED = new HttpError(
  "overloaded",
  "The service has too many requests in flight; try again later.",
);

/**
 * Lets `most` requests at a time through to their handlers, and answers 503 to further ones at once, so that those that
 * it lets through stay fast. Place it behind all that waits for a client, such as the reader of bodies.
 */
export function limitLoad(most: number): Handler {
  let inFlight = 0;
  return async (ctx, next) => {
    if (inFlight >= most) return answerError(ctx, OVERLOADED);
    inFlight += 1;
    try {
      await next();
    } finally {
      inFlight -= 1;
    }
  };
}
