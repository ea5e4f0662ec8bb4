import { createRequire } from "node:module";
import { HttpError } from "../http-error.js";
import type { Handler } from "../operations.js";

const require = createRequire(import.meta.url);

/**
 * Rejects requests beyond the rate of their key, and tells every client its remaining quota
 * (draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4). Each process counts separately.
 */
export function limitRate({ requests, seconds }: { requests: number; seconds: number }): Handler {
  // Loads this limiter alone, as its README says, and only if an operator has turned it on.
  const RateLimiterMemory: typeof import("rate-limiter-flexible").RateLimiterMemory =
    require("rate-limiter-flexible/lib/RateLimiterMemory.js");
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds });
  const policy = `"api-key";q=${requests};w=${seconds}`;
  return async (ctx, next) => {
    // Outside /v1 there is no key.
    const { key } = ctx.state;
    if (!key) return next();
    // `consume` would do the same, and reject beyond the limit.
    const used = await limiter.penalty(key.id);
    const reset = Math.min(Math.ceil(Math.max(used.msBeforeNext, 1) / 1000), seconds);
    ctx.set("RateLimit-Policy", policy);
    ctx.set("RateLimit", `"api-key";r=${used.remainingPoints};t=${reset}`);
    if (used.consumedPoints <= requests) return next();
    const message = "This key has sent too many requests; wait as long as Retry-After says.";
    throw new HttpError("rate_limited", message, { "Retry-After": String(reset) });
  };
}
