import { SECURITY_HEADERS } from "../adapters/http/answer/security-headers.js";
import { DEPRECATED_AT, SUNSET } from "../adapters/http/middleware/deprecation.js";
import { encodeCursor } from "../adapters/http/operations/cursor.js";
import type { JsonObject } from "./json.js";

/** Every header that an answer can carry, beside those of HTTP itself (Date, Content-Type, Connection …). */
export const HEADERS = {
  RequestId: {
    description:
      "Names this request in the operator's log: the `X-Request-Id` that was sent, where it is 1 to 128 letters, digits " +
      "and `.` `_` `-`, and one made for it otherwise.",
    required: true,
    schema: { type: "string", pattern: "^[\\w.-]{1,128}$" },
    example: "6f0c8a3e-59a1-4c0d-9c0f-1d2e7f4b8a65",
  },
  CacheControl: {
    description: "Answers are not to be kept by caches.",
    required: true,
    schema: { type: "string", const: String(SECURITY_HEADERS["Cache-Control"]) },
  },
  ContentTypeOptions: {
    description: "A browser must not take an answer for anything but JSON.",
    required: true,
    schema: { type: "string", const: String(SECURITY_HEADERS["X-Content-Type-Options"]) },
  },
  ContentSecurityPolicy: {
    description: "Were an answer shown as a page, nothing in it would run, load or be framed.",
    required: true,
    schema: { type: "string", const: String(SECURITY_HEADERS["Content-Security-Policy"]) },
  },
  RateLimit: {
    description:
      "Where the operator limits the rate of keys: how many requests this key has left (`r`), and after how many seconds " +
      "it has all of them again (`t`).",
    schema: { type: "string", pattern: '^"api-key";r=\\d+;t=\\d+$' },
    example: '"api-key";r=99;t=60',
  },
  RateLimitPolicy: {
    description:
      "Where the operator limits the rate of keys: how many requests a key may make (`q`) in how many seconds (`w`).",
    schema: { type: "string", pattern: '^"api-key";q=\\d+;w=\\d+$' },
    example: '"api-key";q=100;w=60',
  },
  AllowOrigin: {
    description: "Where the operator lets scripts of this origin use the API (CORS): the origin.",
    schema: { type: "string" },
    example: "https://app.example.org",
  },
  ExposeHeaders: {
    description: "The headers that such a script may read (CORS).",
    schema: { type: "string" },
    example: "Link,Location,Retry-After",
  },
  Vary: {
    description: "With CORS turned on, the answer depends on the Origin header.",
    schema: { type: "string", const: "Origin" },
  },
  NextPage: {
    description:
      'The next page (RFC 8288), `rel="next"`; absent on the last page. Relative to this address, absolute where the ' +
      "operator has set a public address. Follow it as it is.",
    schema: {
      type: "string",
      pattern: '^<[^>]*/v1/pets\\?limit=\\d+(&status=\\w+)?&cursor=[\\w-]+>; rel="next"$',
    },
    example: `</v1/pets?limit=20&status=sold&cursor=${encodeCursor(43n, "sold")}>; rel="next"`,
  },
  Location: {
    description: "The address of the new pet: `/v1/pets/{id}`.",
    required: true,
    schema: { type: "string", pattern: "/v1/pets/[1-9]\\d*$" },
    example: "/v1/pets/42",
  },
  IdempotencyReplayed: {
    description:
      "`true` where an earlier request with the same Idempotency-Key created this pet; absent where it was created now.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  Deprecation: {
    description: "When this operation was deprecated, in seconds since 1970-01-01 (RFC 9745): never changes.",
    schema: { type: "string", const: DEPRECATED_AT },
    example: DEPRECATED_AT,
  },
  Sunset: {
    description: "When this operation is to be removed (RFC 8594).",
    schema: { type: "string", const: SUNSET },
    example: SUNSET,
  },
  Successor: {
    description:
      'What to use instead (`rel="successor-version"`) and where that is explained (`rel="deprecation"`; RFC 8288).',
    schema: {
      type: "string",
      pattern:
        '^<[^>]*/v1/pets\\?status=available>; rel="successor-version", <[^>]*/docs>; rel="deprecation"; type="text/html"$',
    },
    example:
      '</v1/pets?status=available>; rel="successor-version", </docs>; rel="deprecation"; type="text/html"',
  },
  WwwAuthenticate: {
    description:
      'The challenge (RFC 6750): `Bearer realm="petstore"` with missing_credentials, with `error="invalid_token"` added ' +
      "with invalid_credentials.",
    required: true,
    schema: { type: "string", pattern: '^Bearer realm="petstore"(, error="invalid_token")?$' },
    example: 'Bearer realm="petstore"',
  },
  RetryAfter: {
    description: "Seconds to wait before sending the request again.",
    required: true,
    schema: { type: "string", pattern: "^[1-9]\\d*$" },
    example: "1",
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

export type HeaderComponent = keyof typeof HEADERS;

/** In its place and no component: no operation's own answer carries it. */
export const ALLOW: JsonObject = {
  description: "The methods that this path takes.",
  required: true,
  schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
  example: "GET, HEAD, OPTIONS, POST",
};

/** What answers a preflight (CORS). */
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

/** What any answer carries, or may carry. */
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
    [...ON_EVERY_ANSWER, ...components].map((name) => [
      HEADER_NAMES[name],
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}
