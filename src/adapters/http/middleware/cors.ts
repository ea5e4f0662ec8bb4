import koaCors from "@koa/cors";
import type { Headers } from "../answer/error-codes.js";
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

/** The CORS protocol of the Fetch standard, for the origins that an operator has named. */
export interface Cors {
  /** Lets scripts of these origins use the API, and answers their preflights. */
  readonly handle: Handler;
  /** The same headers for an answer below the application, by the `Origin` of its request. */
  headersFor(origin: string | undefined): Headers;
}

export function allowOrigins(origins: readonly string[]): Cors {
  return { handle: answerOrigins(origins), headersFor: (origin) => headersFor(origin, origins) };
}

const VARY = { Vary: "Origin" };

function headersFor(origin: string | undefined, origins: readonly string[]): Headers {
  if (origin === undefined || !origins.includes(origin)) return VARY;
  return {
    ...VARY,
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": EXPOSED_HEADERS.join(","),
  };
}

function answerOrigins(origins: readonly string[]): Handler {
  return koaCors({
    origin: (ctx) => origins.find((origin) => origin === ctx.get("Origin")) ?? "",
    allowMethods: "GET, HEAD, POST",
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE,
    // Error answers go to the same response, which keeps these headers.
    keepHeadersOnError: false,
  }) as unknown as Handler;
}
