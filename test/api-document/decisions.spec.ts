import { expect } from "chai";
import { API_DOCUMENT } from "../support/described.js";

/** Where the document states each decision that a client can notice: the decision, the place, and its words. */
const DECISIONS: readonly (readonly [decision: string, place: string, words: RegExp])[] = [
  ["every operation lives under /v1", "/servers/0/url", /^\/v1$/],
  ["every operation lives under /v1", "/info/description", /Every operation is under `\/v1`/],
  ["the default status is available", "/components/schemas/NewPet/properties/status/default", /^available$/],
  ["a read always shows a status", "/paths/~1pets/post/description", /stored, so a read always shows one/],
  ["a read always shows a status", "/components/schemas/Pet/required", /status/],
  ["the list is in ascending order of id", "/paths/~1pets/get/description", /ascending order of id/],
  ["the list is a bare array", "/components/schemas/Pets/type", /^array$/],
  ["the next page is a Link header", "/paths/~1pets/get/responses/200/headers/Link", /NextPage/],
  ["the last page has no Link header", "/components/headers/NextPage/description", /absent on the last page/],
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
    "links are relative, or absolute if a setting says so",
    "/components/headers/NextPage/description",
    /Relative.*absolute if/,
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
  [
    "unknown members are refused under strict handling",
    "/paths/~1pets/post/description",
    /handling=strict.*`unknown_field`/,
  ],
  ["Prefer is a plain string", "/paths/~1pets/post/parameters/1/schema/type", /^string$/],
  ["repeated members are refused", "/paths/~1pets/post/description", /given twice.*`duplicate_field`/],
  [
    "repeated members are refused at any depth",
    "/paths/~1pets/post/description",
    /any object at any depth, unknown members included/,
  ],
  [
    "a name has 1 to 255 code points",
    "/components/schemas/NewPet/properties/name/description",
    /1 to 255 Unicode code points/,
  ],
  [
    "a name is not only white space",
    "/components/schemas/NewPet/properties/name/description",
    /not white space/,
  ],
  [
    "a name has no control characters",
    "/components/schemas/NewPet/properties/name/description",
    /C0, DEL, C1/,
  ],
  [
    "a name may have format characters",
    "/components/schemas/NewPet/properties/name/description",
    /zero width joiner/,
  ],
  [
    "a name has no lone surrogates",
    "/components/schemas/NewPet/properties/name/description",
    /no lone surrogates/,
  ],
  ["a name is stored as sent", "/components/schemas/NewPet/properties/name/description", /exactly as sent/],
  [
    "several pets may have one name",
    "/components/schemas/NewPet/properties/name/description",
    /Several pets/,
  ],
  [
    "categoryId may be any int64",
    "/components/schemas/NewPet/properties/categoryId/description",
    /any int64, zero and negative/,
  ],
  ["categoryId has the format int64", "/components/schemas/NewPet/properties/categoryId/format", /^int64$/],
  [
    "5.0, 5e0 and -0 are integers",
    "/components/schemas/NewPet/properties/categoryId/description",
    /`5\.0` and `5e0`.*`-0` as 0/,
  ],
  [
    "strings and fractions are no integers",
    "/components/schemas/NewPet/properties/categoryId/description",
    /string.*fraction is refused/,
  ],
  ["numbers are exact over all of int64", "/info/description", /exact over all of −2⁶³ … 2⁶³−1/],
  [
    "ids begin at 1, have gaps, are never used again, and stay below 2^53",
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
  [
    "getPet is to be removed on 5 December 2030",
    "/paths/~1pets~1{petId}/get/x-deprecated-sunset",
    /^2030-12-05$/,
  ],
  [
    "every answer of getPet announces its deprecation",
    "/paths/~1pets~1{petId}/get/description",
    /200, 401 and 404 alike/,
  ],
  ["getPet answers with Deprecation", "/components/headers/Deprecation/schema/const", /^@\d+$/],
  [
    "getPet answers with Sunset",
    "/components/headers/Sunset/schema/const",
    /^Thu, 05 Dec 2030 00:00:00 GMT$/,
  ],
  [
    "getPet answers with Link",
    "/components/headers/Successor/description",
    /successor-version.*rel="deprecation"/,
  ],
  [
    "getPet announces its deprecation on 200",
    "/paths/~1pets~1{petId}/get/responses/200/headers",
    /Deprecation.*Sunset.*Link/,
  ],
  [
    "getPet announces its deprecation on 401",
    "/paths/~1pets~1{petId}/get/responses/401/headers",
    /Deprecation.*Sunset.*Link/,
  ],
  [
    "getPet announces its deprecation on 404",
    "/paths/~1pets~1{petId}/get/responses/404/headers",
    /Deprecation.*Sunset.*Link/,
  ],
  ["uses of getPet are counted per key", "/paths/~1pets~1{petId}/get/description", /counted per API key/],
  [
    "getPet is served after the date, or answers 410",
    "/paths/~1pets~1{petId}/get/description",
    /after that date unless.*410 `operation_removed`/,
  ],
  ["errors have one body and nothing else", "/components/schemas/Error/additionalProperties", /^false$/],
  ["an error's status is the HTTP status", "/info/description", /`status` repeats the HTTP status/],
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
  ["503 always carries Retry-After", "/components/headers/RetryAfter/required", /^true$/],
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
  ["a request has exactly one Host", "/info/description", /exactly one `Host`/],
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
    "a missing credential is missing_credentials",
    "/components/securitySchemes/apiKey/description",
    /another scheme: 401 `missing_credentials`/,
  ],
  [
    "a bad credential is invalid_credentials",
    "/components/securitySchemes/apiKey/description",
    /Malformed, unknown, expired or revoked: 401 `invalid_credentials`/,
  ],
  [
    "a bad credential is answered with invalid_token",
    "/components/headers/WwwAuthenticate/description",
    /error="invalid_token"/,
  ],
  ["the answer does not tell why a credential is bad", "/info/description", /does not tell whether/],
  ["a key in the query is never accepted", "/info/description", /key in the query is never accepted/],
  [
    "an Idempotency-Key has 1 to 255 visible characters, quoted or bare",
    "/paths/~1pets/post/parameters/0/description",
    /1 to 255 visible ASCII characters, bare or in double quotes; both forms/,
  ],
  [
    "a repeated create is replayed",
    "/paths/~1pets/post/description",
    /same key, API key and body, byte for byte.*`Idempotency-Replayed: true`/,
  ],
  [
    "a key with another body is refused",
    "/paths/~1pets/post/description",
    /another body is 400 `idempotency_key_reused`/,
  ],
  ["a key is kept at least 24 hours", "/paths/~1pets/post/description", /at least 24 hours/],
  [
    "a refused create leaves its key free",
    "/paths/~1pets/post/description",
    /refused create leaves its key free/,
  ],
];

describe("The OpenAPI document states that", () => {
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
