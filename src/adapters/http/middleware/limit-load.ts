import { answerError } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

const OVERLOADED = new HttpError(
  "overloaded",
  "The service has too many requests in flight; try again later.",
);

/**
 * Lets `most` requests at a time through to the handlers that it is given, and answers 503 to further ones at once, so
 * that those that it lets through stay fast. A handler must not wait for a client.
 */
export function limitLoad(most: number): (handle: Handler) => Handler {
  let inFlight = 0;
  return (handle) => async (ctx, next) => {
    if (inFlight >= most) return answerError(ctx, OVERLOADED);
    inFlight += 1;
    try {
      await handle(ctx, next);
    } finally {
      inFlight -= 1;
    }
  };
}
