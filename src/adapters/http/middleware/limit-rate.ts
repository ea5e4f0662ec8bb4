import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { answerError } from "../answer/answer-error.js";
import { ErrorAnswer } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

/**
 * Refuses requests beyond the rate of their key with 429, and tells every client how many it has left
 * (draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4). Each process counts for itself. Place it after
 * authentication.
 *
 * @param limit how many requests each key may make in each window of so many seconds
 */
export function limitRate(limit: { readonly requests: number; readonly seconds: number }): Handler {
  const { requests, seconds } = limit;
  const limiter = new RateLimiterMemory({ keyPrefix: "api-key", points: requests, duration: seconds });
  const policy = `"api-key";q=${requests};w=${seconds}`;
  return async (ctx, next) => {
    // Outside /v1 requests have no key.
    const { key } = ctx.state;
    // Over the limit it rejects, with a count, too.
    const counted = key && (await limiter.consume(key.id).catch((refused: RateLimiterRes) => refused));
    if (counted) {
      const reset = Math.min(Math.ceil(Math.max(counted.msBeforeNext, 1) / 1000), seconds);
      ctx.set("RateLimit-Policy", policy);
      ctx.set("RateLimit", `"api-key";r=${counted.remainingPoints};t=${reset}`);
      if (counted.consumedPoints > requests) return answerError(ctx, rateLimited(reset));
    }
    return next();
  };
}

function rateLimited(seconds: number): ErrorAnswer {
  return new ErrorAnswer(
    "rate_limited",
    "This key has sent too many requests; wait as long as Retry-After says.",
    { "Retry-After": String(seconds) },
  );
}
