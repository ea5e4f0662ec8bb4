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

/**
 * The CORS protocol of the Fetch standard, for scripts of the origins that an operator has named.
 *
 * @param allow the methods of the whole service, as `Allow` lists them
 */
export function allowOrigins(origins: readonly string[], allow: string): Handler {
  return koaCors({
    origin: (ctx) => origins.find((origin) => origin === ctx.get("Origin")) ?? "",
    allowMethods: allow.replace(", OPTIONS", ""),
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE,
    // An error answer goes to the same response, which has these headers. `@koa/cors` would write them into the error,
    // which many requests may share.
    keepHeadersOnError: false,
  });
}
