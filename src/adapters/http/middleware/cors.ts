import koaCors from "@koa/cors";
import type { Handler } from "../context.js";

/** Headers that a browser hides from scripts of other origins unless they are listed. */
const EXPOSED_HEADERS = [
  "Allow",
  "Deprecation",
  "Idempotency-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Request-Id",
];

/** How long a browser may remember the answer to a preflight, in seconds: the longest that Chromium honours. */
const PREFLIGHT_MAX_AGE = 7200;

/** Lets scripts of these origins use the API (the CORS protocol of the Fetch standard), and answers their preflights. */
export function allowOrigins(origins: readonly string[]): Handler {
  return koaCors({
    origin: (ctx) => origins.find((origin) => origin === ctx.get("Origin")) ?? "",
    allowMethods: "GET, HEAD, POST",
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE,
    // Error answers go to the same response, which keeps these headers.
    keepHeadersOnError: false,
  }) as unknown as Handler;
}
