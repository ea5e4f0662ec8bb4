import { ROUTES } from "../adapters/http/operations/route-table.js";
import { errorResponses } from "./describe-errors.js";
import { ALLOW, HEADERS, headerRefs, PREFLIGHT } from "./describe-headers.js";
import { OPERATIONS } from "./describe-operations.js";
import { LIST_PETS_SCHEMAS, SCHEMAS } from "./describe-schemas.js";
import type { JsonObject } from "./json.js";

/** The version of the interface; its first number is the segment of the path. */
const INTERFACE_VERSION = "1.0.0";
const BASE_PATH = "/v1";

const DESCRIPTION = `## First request

Every operation is under \`/v1\` and needs an API key, as a bearer token:

\`\`\`
curl http://127.0.0.1:3000/v1/pets \\
  -H "Authorization: Bearer <API_KEY>"
\`\`\`

An operator makes keys; the program prints the first one when it starts for the first time. The letters of the scheme may be of any case. A key in the query is never accepted. Keys are checked before anything else under \`/v1\`, \`OPTIONS\` and unknown paths included. The answer to a bad credential does not tell whether it is malformed, unknown, expired or revoked.

## Media type

Bodies are JSON in UTF-8, in both directions. \`Content-Type\` is exactly \`application/json\`, on errors too: no charset. An \`Accept\` header that rules it out is 406 \`not_acceptable\`.

## Integers

\`id\` and \`categoryId\` are int64 and exact over all of −2⁶³ … 2⁶³−1. JavaScript's \`JSON.parse\` rounds integers beyond 2⁵³ (9007199254740993 becomes …992): read \`categoryId\` with a parser that keeps them. Ids stay below 2⁵³.

## Errors

Every answer of 400 or above has the same body, with nothing else in it: \`{"code", "message", "status"}\`; \`status\` repeats the HTTP status. Decide by \`code\`, which is one of the codes listed with each operation; show \`message\` to people. No input gets a 500. Every 503 says in \`Retry-After\` when to come back. An instance that stops still answers what reaches it, with \`Connection: close\`; only \`/readyz\` of the operator's admin port is then 503 \`shutting_down\`.

## Headers of every answer

\`X-Request-Id\` names the request in the operator's log: send your own (1 to 128 letters, digits and \`.\` \`_\` \`-\`) or read the one that was made. Answers are not to be cached (\`Cache-Control: no-store\`). Where the operator limits the rate of each key, \`RateLimit\` and \`RateLimit-Policy\` tell where yours stands, and what is beyond it is 429 \`rate_limited\` with \`Retry-After\`. Where the operator allows an origin (CORS), its scripts may use the API and read these headers.

## Methods and paths

\`HEAD\` answers as \`GET\` does, without the body. \`OPTIONS\` answers 204 with \`Allow\`. Another method at a known path is 405 with \`Allow\`. Paths are case-sensitive, and \`/v1/pets/\` is not \`/v1/pets\`: 404 \`route_not_found\`, with a hint. Operations without parameters ignore a query. HTTP/1.1 needs exactly one \`Host\` header.`;

/** What no operation describes: answers that any path, known or not, can give. */
const OTHER_ANSWERS: JsonObject = {
  description:
    "Answers to OPTIONS, to methods that a path does not take, and at paths where there is nothing.",
  responses: {
    204: {
      description:
        "The answer to OPTIONS, with `Allow`, or to the preflight of an origin that is allowed (CORS).",
      headers: { ...headerRefs(), Allow: { ...ALLOW, required: false }, ...PREFLIGHT },
    },
    ...errorResponses([
      "malformed_request",
      "missing_credentials",
      "invalid_credentials",
      "route_not_found",
      "request_timeout",
      "rate_limited",
      "headers_too_large",
      "internal_error",
      "overloaded",
    ]),
    405: { ...errorResponses(["method_not_allowed"])[405], headers: { ...headerRefs(), Allow: ALLOW } },
  },
};

function paths(): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const { operationId, method, path } of Object.values(ROUTES)) {
    const template = path.slice(BASE_PATH.length).replace(/:(\w+)/g, "{$1}");
    paths[template] = {
      ...paths[template],
      [method.toLowerCase()]: { operationId, ...OPERATIONS[operationId] },
    };
  }
  return paths;
}

/** The description of the whole API, as OpenAPI 3.1. */
export function openApiDocument(): JsonObject {
  return {
    openapi: "3.1.1",
    info: {
      title: "Petstore",
      version: INTERFACE_VERSION,
      summary: "A catalogue of the animals offered in a store: list it, add to it, get one.",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    externalDocs: { description: "This document as a page, with requests to try", url: "/docs" },
    servers: [{ url: BASE_PATH, description: "This service" }],
    security: [{ apiKey: [] }],
    tags: [
      { name: "Pets", description: "The catalogue." },
      { name: "Store", description: "Orders of the store." },
    ],
    paths: paths(),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key as the bearer token: `Authorization: Bearer <API_KEY>`. Missing, or under another scheme: 401 " +
            "`missing_credentials`. Malformed, unknown, expired or revoked: 401 `invalid_credentials`.",
        },
      },
      schemas: {
        ...SCHEMAS,
        Limit: LIST_PETS_SCHEMAS.limit ?? {},
        Cursor: LIST_PETS_SCHEMAS.cursor ?? {},
        Orders: { type: "array", items: {}, maxItems: 0, description: "Always empty." },
      },
      headers: HEADERS,
    },
    "x-other-answers": OTHER_ANSWERS,
  };
}
