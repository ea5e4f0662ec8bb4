import { encodeCursor } from "../cursor.js";
import { DEPRECATED_AT, SUNSET } from "../deprecation.js";
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
  Allow: {
    description: "The methods that this path takes.",
    required: true,
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
    example: "GET, HEAD, OPTIONS, POST",
  },
};

/** The name of each on the wire. */
export const HEADER_NAMES: Readonly<Record<HeaderComponent, string>> = {
  RequestId: "X-Request-Id",
  NextPage: "Link",
  Location: "Location",
  IdempotencyReplayed: "Idempotency-Replayed",
  Deprecation: "Deprecation",
  Sunset: "Sunset",
  Successor: "Link",
  WwwAuthenticate: "WWW-Authenticate",
  RetryAfter: "Retry-After",
};

/** The `headers` of a response, as references: those that every answer carries, and its own. */
export function headerRefs(...components: readonly HeaderComponent[]): JsonObject {
  return Object.fromEntries(
    (["RequestId", ...components] as const).map((name) => [
      HEADER_NAMES[name],
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}
