import { type JsonObject, ref } from "../json.js";
import type { HeaderComponent } from "./headers.js";

/** It is no component of the document, since no operation's own answer carries it. */
export const ALLOW: JsonObject = {
  description: "The methods that this path takes.",
  required: true,
  schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
  example: "GET, HEAD, OPTIONS, POST",
};

/** The headers of an answer to a preflight (CORS). */
export const PREFLIGHT: JsonObject = {
  "Access-Control-Allow-Methods": {
    description: "The methods that a script of this origin may use.",
    schema: { type: "string" },
  },
  "Access-Control-Allow-Headers": {
    description: "The headers that a script of this origin may send.",
    schema: { type: "string" },
  },
  "Access-Control-Max-Age": {
    description: "For how many seconds this may be remembered.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
};

/** The name of each on the wire. */
export const HEADER_NAMES: Readonly<Record<HeaderComponent, string>> = {
  RequestId: "X-Request-Id",
  CacheControl: "Cache-Control",
  ContentTypeOptions: "X-Content-Type-Options",
  ContentSecurityPolicy: "Content-Security-Policy",
  RateLimit: "RateLimit",
  RateLimitPolicy: "RateLimit-Policy",
  AllowOrigin: "Access-Control-Allow-Origin",
  ExposeHeaders: "Access-Control-Expose-Headers",
  Vary: "Vary",
  NextPage: "Link",
  Location: "Location",
  IdempotencyReplayed: "Idempotency-Replayed",
  Deprecation: "Deprecation",
  Sunset: "Sunset",
  Successor: "Link",
  WwwAuthenticate: "WWW-Authenticate",
  RetryAfter: "Retry-After",
};

/** The headers that any answer carries, or may carry. */
export const ON_EVERY_ANSWER: readonly HeaderComponent[] = [
  "RequestId",
  "CacheControl",
  "ContentTypeOptions",
  "ContentSecurityPolicy",
  "RateLimit",
  "RateLimitPolicy",
  "AllowOrigin",
  "ExposeHeaders",
  "Vary",
];

/** The `headers` of a response, as references: those that every answer carries, and its own. */
export function headerRefs(...components: readonly HeaderComponent[]): JsonObject {
  return Object.fromEntries(
    [...ON_EVERY_ANSWER, ...components].map((name) => [HEADER_NAMES[name], ref("headers", name)]),
  );
}
