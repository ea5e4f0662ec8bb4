import cluster from "node:cluster";
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { ApiKey } from "../../../application/ports/key-verifier.js";
import { answerError } from "../answer/answer-error.js";
import { ErrorAnswer } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

/** How many requests each key may make in each window. */
interface RateLimit {
  readonly requests: number;
  /** The window's length. */
  readonly seconds: number;
}

/** How long a worker waits for the count of the primary process, in milliseconds. */
const COUNT_PATIENCE = 1000;

/**
 * Refuses requests beyond the rate of their key with 429, and tells every client how many it has left
 * (draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4). Place it after authentication.
 */
export function limitRate({ requests, seconds }: RateLimit): Handler {
  const options = { keyPrefix: "api-key", points: requests, duration: seconds };
  const limiter = cluster.isWorker
    ? new RateLimiterCluster({ ...options, timeoutMs: COUNT_PATIENCE })
    : new RateLimiterMemory(options);
  const policy = `"api-key";q=${requests};w=${seconds}`;

  async function count(key: ApiKey): Promise<RateLimiterRes | undefined> {
    try {
      return await limiter.consume(key.id);
    } catch (refused) {
      // Any other error means that the primary is away, which must not stop the service.
      return refused instanceof RateLimiterRes ? refused : undefined;
    }
  }

  return async (ctx, next) => {
    // Outside /v1 requests have no key.
    const { key } = ctx.state;
    const counted = key && (await count(key));
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
