import { answerError } from "../answer/answer-error.js";
import { ErrorAnswer } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

const OVERLOADED = new ErrorAnswer(
  "overloaded",
  "The service has too many requests in flight; try again later.",
);

/** The share of the places that one key may take, so that another one always finds some. */
const SHARE_OF_KEY = 0.9;

/**
 * Lets `most` requests of operations at a time through to their handlers, and answers 503 to further ones at once, so
 * that those that it lets through stay fast. A handler must not wait for a client.
 */
export function limitLoad(most: number): Handler {
  const mostOfKey = Math.ceil(most * SHARE_OF_KEY);
  const ofKeys = new Map<string | undefined, number>();
  let inFlight = 0;
  return async (ctx, next) => {
    const { route, key } = ctx.state;
    if (!route?.operationId) return next();
    const ofKey = ofKeys.get(key?.id) ?? 0;
    if (inFlight >= most || ofKey >= mostOfKey) return answerError(ctx, OVERLOADED);
    inFlight += 1;
    ofKeys.set(key?.id, ofKey + 1);
    try {
      await next();
    } finally {
      inFlight -= 1;
      const left = (ofKeys.get(key?.id) as number) - 1;
      if (left > 0) ofKeys.set(key?.id, left);
      else ofKeys.delete(key?.id);
    }
  };
}
