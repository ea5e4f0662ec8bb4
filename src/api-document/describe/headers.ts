import { SECURITY_HEADERS } from "../../adapters/http/answer/security-headers.js";
import { DEPRECATED_AT, SUNSET } from "../../adapters/http/middleware/deprecation.js";
import { encodeCursor } from "../../adapters/http/operations/cursor.js";
import type { JsonObject } from "../json.js";

/** Every header that an answer can carry, beside those of HTTP itself (Date, Content-Type, Connection …). */
export const HEADERS = {
  RequestId: {
    description:
      "Names this request in the operator's log: the `X-Request-Id` that was sent, if it is 1 to 128 letters, digits " +
      "and `.` `_` `-`, and else one that the service made.",
    required: true,
    schema: { type: "string", pattern: "^[\\w.-]{1,128}$" },
    example: "6f0c8a3e-59a1-4c0d-9c0f-1d2e7f4b8a65",
  },
  CacheControl: {
    description: "No cache may keep the answer.",
    required: true,
    schema: { type: "string", const: String(SECURITY_HEADERS["Cache-Control"]) },
  },
  ContentTypeOptions: {
    description: "A browser must not take an answer for anything but JSON.",
    required: true,
    schema: { type: "string", const: String(SECURITY_HEADERS["X-Content-Type-Options"]) },
  },
  ContentSecurityPolicy: {
    description: "If a browser showed an answer as a page, that page could run, load and frame nothing.",
    required: true,
    schema: { type: "string", const: String(SECURITY_HEADERS["Content-Security-Policy"]) },
  },
  RateLimit: {
    description:
      "How many requests this API key has left (`r`), and after how many seconds it has all of them again (`t`); sent if " +
      "the operator limits the rate.",
    schema: { type: "string", pattern: '^"api-key";r=\\d+;t=\\d+$' },
    example: '"api-key";r=99;t=60',
  },
  RateLimitPolicy: {
    description:
      "How many requests an API key may make (`q`) in how many seconds (`w`); sent if the operator limits the rate.",
    schema: { type: "string", pattern: '^"api-key";q=\\d+;w=\\d+$' },
    example: '"api-key";q=100;w=60',
  },
  AllowOrigin: {
    description: "The origin whose scripts may use the API (CORS); sent if the operator allows it.",
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
      'The next page (RFC 8288), `rel="next"`; absent on the last page. Relative to this address, absolute if the ' +
      "operator has set a public address. Follow it as it is.",
    schema: {
      type: "string",
      pattern: '^<[^>]*/v1/pets\\?limit=\\d+(&status=\\w+)?&cursor=[\\w-]+>; rel="next"$',
    },
    example: `</v1/pets?limit=2&cursor=${encodeCursor(43n, undefined)}>; rel="next"`,
  },
  Location: {
    description: "The address of the new pet: `/v1/pets/{id}`.",
    required: true,
    schema: { type: "string", pattern: "/v1/pets/[1-9]\\d*$" },
    example: "/v1/pets/42",
  },
  IdempotencyReplayed: {
    description:
      "`true` if an earlier request with the same Idempotency-Key created this pet; absent if this request did.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  Deprecation: {
    description:
      "The instant at which this operation was deprecated, in seconds since 1970-01-01 (RFC 9745). It never changes.",
    schema: { type: "string", const: DEPRECATED_AT },
    example: DEPRECATED_AT,
  },
  Sunset: {
    description: "The instant from which this operation may be removed (RFC 8594).",
    schema: { type: "string", const: SUNSET },
    example: SUNSET,
  },
  Successor: {
    description:
      'The operation to use instead (`rel="successor-version"`), and the page that explains it (`rel="deprecation"`; RFC 8288).',
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
