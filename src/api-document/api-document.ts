import { ROUTES } from "../adapters/http/operations/route-table.js";
import { errorResponses } from "./describe/error-responses.js";
import { GUIDE } from "./describe/guide.js";
import { ALLOW, headerRefs, PREFLIGHT } from "./describe/header-refs.js";
import { HEADERS } from "./describe/headers.js";
import { OPERATIONS } from "./describe/operations.js";
import { SCHEMAS } from "./describe/schemas.js";
import { ANY_OPERATION } from "./describe/shared-parts.js";
import type { JsonObject } from "./json.js";

/** The version of the interface; its first number is the segment of the path. */
const INTERFACE_VERSION = "1.0.0";
const BASE_PATH = "/v1";

/** Answers outside of the operations, which any path can give, known or not. */
const OTHER_ANSWERS: JsonObject = {
  description:
    "Answers to OPTIONS, to methods that a path does not take, and at paths where there is nothing.",
  responses: {
    204: {
      description:
        "The answer to OPTIONS, with `Allow`, or to the preflight of an origin that is allowed (CORS).",
      headers: { ...headerRefs(), Allow: { ...ALLOW, required: false }, ...PREFLIGHT },
    },
    ...errorResponses([...ANY_OPERATION.filter((code) => code !== "not_acceptable"), "route_not_found"]),
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
      summary: "The pets that a store offers: list them, create one, get one.",
      description: GUIDE,
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
      schemas: SCHEMAS,
      headers: HEADERS,
    },
    "x-other-answers": OTHER_ANSWERS,
  };
}
