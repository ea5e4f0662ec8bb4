import { expect } from "chai";
import { API_DOCUMENT } from "../support/described.js";

/** Where the document states each decision that a client can notice: the decision, the place, and its words. */
const DECISIONS: readonly (readonly [decision: string, place: string, words: RegExp])[] = [
  ["every operation lives under /v1", "/servers/0/url", /^\/v1$/],
  ["… and the guide says so", "/info/description", /Every operation is under `\/v1`/],
  ["the default status is available", "/components/schemas/NewPet/properties/status/default", /^available$/],
  ["a read always shows a status", "/paths/~1pets/post/description", /stored, so a read always shows one/],
  ["a read always shows a status", "/components/schemas/Pet/required", /status/],
  ["the list is in ascending order of id", "/paths/~1pets/get/description", /ascending order of id/],
  ["the list is a bare array", "/components/schemas/Pets/type", /^array$/],
  ["the next page is a Link header", "/paths/~1pets/get/responses/200/headers/Link", /NextPage/],
  ["… absent on the last page", "/components/headers/NextPage/description", /absent on the last page/],
  ["a cursor is opaque and URL-safe", "/paths/~1pets/get/parameters/2/description", /opaque, URL-safe/],
  [
    "a cursor belongs to one filter",
    "/paths/~1pets/get/parameters/2/description",
    /belongs to the `status` filter/,
  ],
  ["limit may change between pages", "/paths/~1pets/get/parameters/2/description", /`limit` may change/],
  [
    "a changed cursor is refused",
    "/paths/~1pets/get/parameters/2/description",
    /any character changed.*`invalid_cursor`/,
  ],
  ["a cursor outlives a restart", "/paths/~1pets/get/parameters/2/description", /outlives a restart/],
  ["paging sees every pet once", "/paths/~1pets/get/description", /seen exactly once, whatever is created/],
  [
    "links are relative, or absolute by setting",
    "/components/headers/NextPage/description",
    /Relative.*absolute where/,
  ],
  ["limit is bounded", "/components/schemas/Limit", /"minimum":1,"maximum":100,"default":20/],
  [
    "limit is plain decimal digits",
    "/paths/~1pets/get/parameters/0/description",
    /`\+5`, `1e1`, `5\.0`, empty.*`invalid_parameter`/,
  ],
  ["limit is never clamped", "/paths/~1pets/get/description", /refused, never clamped/],
  [
    "limit may begin with zeros",
    "/paths/~1pets/get/parameters/0/description",
    /zeros before it do not count/,
  ],
  ["unknown query parameters are refused", "/paths/~1pets/get/description", /`unknown_parameter`/],
  ["repeated query parameters are refused", "/paths/~1pets/get/description", /`duplicate_parameter`/],
  ["other operations ignore a query", "/info/description", /without parameters ignore a query/],
  [
    "unknown members are ignored, id included",
    "/paths/~1pets/post/description",
    /ignored and never stored, `id` included/,
  ],
  ["… refused under strict handling", "/paths/~1pets/post/description", /handling=strict.*`unknown_field`/],
  ["Prefer is a plain string", "/paths/~1pets/post/parameters/1/schema/type", /^string$/],
  ["repeated members are refused", "/paths/~1pets/post/description", /given twice.*`duplicate_field`/],
  ["… at any depth", "/paths/~1pets/post/description", /any object at any depth, unknown members included/],
  [
    "name: 1 to 255 code points",
    "/components/schemas/NewPet/properties/name/description",
    /1 to 255 Unicode code points/,
  ],
  ["name: not only white space", "/components/schemas/NewPet/properties/name/description", /not white space/],
  ["name: no control characters", "/components/schemas/NewPet/properties/name/description", /C0, DEL, C1/],
  ["name: format characters", "/components/schemas/NewPet/properties/name/description", /zero width joiner/],
  [
    "name: no lone surrogates",
    "/components/schemas/NewPet/properties/name/description",
    /no lone surrogates/,
  ],
  ["name: stored as sent", "/components/schemas/NewPet/properties/name/description", /exactly as sent/],
  ["name: duplicates allowed", "/components/schemas/NewPet/properties/name/description", /Several pets/],
  [
    "categoryId: any int64",
    "/components/schemas/NewPet/properties/categoryId/description",
    /any int64, zero and negative/,
  ],
  ["categoryId: int64 format", "/components/schemas/NewPet/properties/categoryId/format", /^int64$/],
  [
    "numbers: 5.0, 5e0 and -0 are integers",
    "/components/schemas/NewPet/properties/categoryId/description",
    /`5\.0` and `5e0`.*`-0` as 0/,
  ],
  [
    "numbers: strings and fractions are refused",
    "/components/schemas/NewPet/properties/categoryId/description",
    /string.*fraction is refused/,
  ],
  ["numbers: exact over all of int64", "/info/description", /exact over all of −2⁶³ … 2⁶³−1/],
  [
    "ids: from 1, unique, never again, gaps, below 2^53",
    "/components/schemas/Pet/properties/id/description",
    /from 1 upwards, never used again, with gaps; below 2⁵³/,
  ],
  [
    "a malformed petId is 404",
    "/paths/~1pets~1{petId}/get/parameters/0/description",
    /`01`, `\+1`, `1\.0`\) is 404 `pet_not_found`/,
  ],
  [
    "petId is an int64",
    "/paths/~1pets~1{petId}/get/parameters/0/schema",
    /"type":"integer","format":"int64"/,
  ],
  ["201 carries Location", "/components/headers/Location", /"required":true/],
  ["store orders are an empty list", "/paths/~1store~1orders/get/description", /always empty/],
  ["store orders are beta", "/paths/~1store~1orders/get/x-stability", /^beta$/],
  ["store orders have no test panel", "/paths/~1store~1orders/get/x-hideTryItPanel", /^true$/],
  ["getPet is deprecated", "/paths/~1pets~1{petId}/get/deprecated", /^true$/],
  ["… to be removed on 5 December 2030", "/paths/~1pets~1{petId}/get/x-deprecated-sunset", /^2030-12-05$/],
  ["… and says so on every response", "/paths/~1pets~1{petId}/get/description", /200, 401 and 404 alike/],
  ["… in Deprecation", "/components/headers/Deprecation/schema/const", /^@\d+$/],
  ["… in Sunset", "/components/headers/Sunset/schema/const", /^Thu, 05 Dec 2030 00:00:00 GMT$/],
  ["… in Link", "/components/headers/Successor/description", /successor-version.*rel="deprecation"/],
  ["… on 200", "/paths/~1pets~1{petId}/get/responses/200/headers", /Deprecation.*Sunset.*Link/],
  ["… on 401", "/paths/~1pets~1{petId}/get/responses/401/headers", /Deprecation.*Sunset.*Link/],
  ["… on 404", "/paths/~1pets~1{petId}/get/responses/404/headers", /Deprecation.*Sunset.*Link/],
  ["… counted per key", "/paths/~1pets~1{petId}/get/description", /counted per API key/],
  [
    "… served after the date, or 410",
    "/paths/~1pets~1{petId}/get/description",
    /after that date unless.*410 `operation_removed`/,
  ],
  ["errors have one body and nothing else", "/components/schemas/Error/additionalProperties", /^false$/],
  ["… whose status is the HTTP status", "/info/description", /`status` repeats the HTTP status/],
  [
    "Content-Type is exactly application/json",
    "/info/description",
    /exactly `application\/json`, on errors too: no charset/,
  ],
  [
    "messages never repeat what was sent",
    "/components/schemas/Error/properties/message/description",
    /never repeats a value/,
  ],
  ["405 carries Allow", "/x-other-answers/responses/405/headers/Allow/required", /^true$/],
  ["503 carries Retry-After", "/paths/~1pets/get/responses/503/headers/Retry-After", /RetryAfter/],
  ["… always", "/components/headers/RetryAfter/required", /^true$/],
  ["shutting_down is the admin port's alone", "/info/description", /admin port is then 503 `shutting_down`/],
  [
    "a create without body and type is missing_body",
    "/paths/~1pets/post/description",
    /Without any body and type.*`missing_body`/,
  ],
  [
    "another type or a Content-Encoding is 415",
    "/paths/~1pets/post/description",
    /without a `Content-Encoding`.*415/,
  ],
  ["a body is at most 16 KiB of UTF-8", "/paths/~1pets/post/description", /UTF-8 of at most 16 KiB/],
  ["HEAD answers as GET", "/info/description", /`HEAD` answers as `GET` does, without the body/],
  [
    "OPTIONS answers 204 with Allow",
    "/x-other-answers/responses/204/headers/Allow",
    /methods that this path takes/,
  ],
  [
    "paths are case-sensitive, without a slash at the end",
    "/info/description",
    /case-sensitive, and `\/v1\/pets\/` is not/,
  ],
  ["exactly one Host", "/info/description", /exactly one `Host`/],
  ["another method is 405", "/info/description", /Another method at a known path is 405/],
  ["no input gets a 500", "/info/description", /No input gets a 500/],
  [
    "the credential is a bearer token",
    "/components/securitySchemes/apiKey",
    /"type":"http","scheme":"bearer"/,
  ],
  ["the scheme's letters may be of any case", "/info/description", /scheme may be of any case/],
  [
    "keys are checked before routing, OPTIONS included",
    "/info/description",
    /checked before anything else under `\/v1`, `OPTIONS`/,
  ],
  [
    "no credential: missing_credentials",
    "/components/securitySchemes/apiKey/description",
    /another scheme: 401 `missing_credentials`/,
  ],
  [
    "a bad credential: invalid_credentials",
    "/components/securitySchemes/apiKey/description",
    /Malformed, unknown, expired or revoked: 401 `invalid_credentials`/,
  ],
  ["… with invalid_token", "/components/headers/WwwAuthenticate/description", /error="invalid_token"/],
  ["the answer does not tell which", "/info/description", /does not tell whether/],
  ["no key in the query", "/info/description", /key in the query is never accepted/],
  [
    "Idempotency-Key: 1..255 visible characters, quoted or bare",
    "/paths/~1pets/post/parameters/0/description",
    /1 to 255 visible ASCII characters, bare or in double quotes; both forms/,
  ],
  [
    "a repeated create is replayed",
    "/paths/~1pets/post/description",
    /same key, API key and body, byte for byte.*`Idempotency-Replayed: true`/,
  ],
  [
    "… refused with another body",
    "/paths/~1pets/post/description",
    /another body is 400 `idempotency_key_reused`/,
  ],
  ["… kept at least 24 hours", "/paths/~1pets/post/description", /at least 24 hours/],
  ["… free after a refusal", "/paths/~1pets/post/description", /refused create leaves its key free/],
];

describe("OpenAPI document: decisions", () => {
  for (const [decision, place, words] of DECISIONS) {
    it(`${decision} (${place})`, () => {
      let part: unknown = API_DOCUMENT;
      for (const name of place.slice(1).split("/")) {
        part = (part as Record<string, unknown>)?.[name.replaceAll("~1", "/")];
      }
      expect(typeof part === "string" ? part : JSON.stringify(part)).to.match(words);
    });
  }
});
