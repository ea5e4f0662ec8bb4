import type { OperationId } from "../adapters/http/operations/route-table.js";
import { PAGE_LIMIT } from "../application/list-pets.js";
import { DEFAULT_STATUS } from "../domain/pet.js";
import { type ApiErrorCode, errorResponses } from "./describe-errors.js";
import { headerRefs } from "./describe-headers.js";
import { type JsonObject, ref } from "./json.js";

/** What can go wrong with any operation. */
const ANY_OPERATION: readonly ApiErrorCode[] = [
  "malformed_request",
  "missing_credentials",
  "invalid_credentials",
  "not_acceptable",
  "request_timeout",
  "rate_limited",
  "headers_too_large",
  "internal_error",
  "overloaded",
];

const REX = { id: 42, name: "Rex", categoryId: 7, status: "available" };
/** Beyond what a double holds exactly: a client that reads numbers as doubles sees …992. */
const ZOE = { id: 43, name: "Zoë", categoryId: 9007199254740993n, status: "sold" };

function success(
  description: string,
  schema: string,
  examples: JsonObject,
  headers = headerRefs(),
): JsonObject {
  return {
    description,
    headers,
    content: { "application/json": { schema: ref("schemas", schema), examples } },
  };
}

const listPets: JsonObject = {
  tags: ["Pets"],
  summary: "List animals",
  description: `Lists the catalogue, a page at a time, in ascending order of id.

**Paging.** The body is a bare array. Where there are more pets, the answer carries a \`Link\` header (RFC 8288) with \`rel="next"\`: request that address for the next page. On the last page it is absent. A pet that exists during the whole walk is seen exactly once, whatever is created meanwhile.

**Parameters are checked strictly.** An unknown query parameter is refused (\`unknown_parameter\`), so that a misspelt filter never quietly returns everything; so is one that is given twice (\`duplicate_parameter\`). A \`limit\` out of bounds is refused, never clamped.`,
  parameters: [
    {
      name: "limit",
      in: "query",
      description:
        `Maximum number of animals returned: an integer from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}, in plain decimal digits; zeros ` +
        "before it do not count. Anything else (`0`, `101`, `+5`, `1e1`, `5.0`, empty) is 400 `invalid_parameter`.",
      schema: ref("schemas", "Limit"),
    },
    {
      name: "status",
      in: "query",
      description: "Return only animals with this status. Without it, animals of every status.",
      schema: ref("schemas", "PetStatus"),
    },
    {
      name: "cursor",
      in: "query",
      description:
        "Where the page begins: opaque, URL-safe, taken unchanged from the `Link` header of a page. It belongs to the " +
        "`status` filter it was made for; `limit` may change between pages. It outlives a restart of the service. With any " +
        "character changed, or with another filter, it is 400 `invalid_cursor`.",
      schema: ref("schemas", "Cursor"),
    },
  ],
  responses: {
    200: {
      ...success(
        "A page of animals. An empty array where there are none.",
        "Pets",
        { page: { value: [REX, ZOE] }, empty: { value: [] } },
        headerRefs("NextPage"),
      ),
      links: {
        nextPage: {
          operationId: "listPets",
          description:
            "The next page: its address stands in the `Link` header of this answer, which is absent on the last page.",
        },
      },
    },
    ...errorResponses([
      ...ANY_OPERATION,
      "invalid_parameter",
      "duplicate_parameter",
      "unknown_parameter",
      "invalid_cursor",
      "storage_unavailable",
    ]),
  },
};

const createPet: JsonObject = {
  tags: ["Pets"],
  summary: "Add an animal",
  description: `Adds an animal to the catalogue and assigns its id. The status is \`${DEFAULT_STATUS}\` where none is sent; it is stored, so a read always shows one.

**Safe to retry.** Send an \`Idempotency-Key\` of your own making (a UUID is fine). The same key, API key and body, byte for byte, answer the same 201 and the same pet again, with \`Idempotency-Replayed: true\`; another body is 400 \`idempotency_key_reused\`. Keys are kept for at least 24 hours. A refused create leaves its key free.

**The body** is one JSON object in UTF-8 of at most 16 KiB, sent as \`application/json\` and without a \`Content-Encoding\`; a body without a type, or of another, is 415. Without any body and type the answer is 400 \`missing_body\`; an empty body is none, but one in chunks has its type checked first. A member given twice is refused (\`duplicate_field\`), in any object at any depth, unknown members included. Unknown members are ignored and never stored, \`id\` included; with \`Prefer: handling=strict\` they are 400 \`unknown_field\`.`,
  parameters: [
    {
      name: "Idempotency-Key",
      in: "header",
      description:
        "Makes the create safe to repeat: 1 to 255 visible ASCII characters, bare or in double quotes; both forms are the " +
        "same key. Anything else is 400 `invalid_idempotency_key`.",
      schema: {
        type: "string",
        pattern: '^("[!-~]{1,255}"|[!#-~][!-~]{0,254})$',
        examples: ["6f0c8a3e-59a1-4c0d-9c0f-1d2e7f4b8a65"],
      },
    },
    {
      name: "Prefer",
      in: "header",
      description:
        "`handling=strict` has unknown members of the body refused instead of ignored (RFC 7240). Other preferences are ignored.",
      schema: { type: "string", examples: ["handling=strict"] },
    },
  ],
  requestBody: {
    required: true,
    description: "The animal to add.",
    content: {
      "application/json": {
        schema: ref("schemas", "NewPet"),
        examples: {
          required: { summary: "Only what is required", value: { name: "Rex", categoryId: 7 } },
          everything: {
            summary: "Every member, and an integer that no double holds",
            value: { name: "Zoë", categoryId: 9007199254740993n, status: "sold" },
          },
        },
      },
    },
  },
  responses: {
    201: {
      ...success(
        "The created animal. It is stored durably before this is sent.",
        "Pet",
        { created: { value: REX } },
        headerRefs("Location", "IdempotencyReplayed"),
      ),
      links: {
        createdPet: {
          operationId: "getPet",
          description: "The animal that was created.",
          parameters: { petId: "$response.body#/id" },
        },
      },
    },
    ...errorResponses([
      ...ANY_OPERATION,
      "missing_body",
      "invalid_json",
      "duplicate_field",
      "unknown_field",
      "missing_field",
      "invalid_field",
      "invalid_idempotency_key",
      "idempotency_key_reused",
      "body_too_large",
      "unsupported_media_type",
      "storage_unavailable",
    ]),
  },
};

const DEPRECATION = ["Deprecation", "Sunset", "Successor"] as const;

const getPet: JsonObject = {
  tags: ["Pets"],
  summary: "Get an animal",
  description: `Fetches one animal by its id.

**Deprecated: to be removed on 5 December 2030.** Use \`GET /v1/pets\` with the \`status\` filter instead. Every answer, 200, 401 and 404 alike, says so in its \`Deprecation\`, \`Sunset\` and \`Link\` headers. The operation goes on being served after that date unless its operator turns it off; then it is 410 \`operation_removed\`. Its use is counted per API key.`,
  deprecated: true,
  "x-deprecated-sunset": "2030-12-05",
  "x-replaced-by": "listPets",
  parameters: [
    {
      name: "petId",
      in: "path",
      required: true,
      description:
        "The identifier of the animal. What cannot be one (out of range, malformed, `01`, `+1`, `1.0`) is 404 `pet_not_found`.",
      schema: { type: "integer", format: "int64", examples: [42] },
    },
  ],
  responses: {
    200: success("The animal.", "Pet", { pet: { value: REX } }, headerRefs(...DEPRECATION)),
    ...errorResponses(
      [...ANY_OPERATION, "pet_not_found", "operation_removed", "storage_unavailable"],
      DEPRECATION,
    ),
  },
};

const getStoreOrders: JsonObject = {
  tags: ["Store"],
  summary: "List store orders",
  description:
    "**Beta: its shape may change.** No operation places an order, so the list is always empty. The documentation page has " +
    "no test panel for it.",
  "x-stability": "beta",
  "x-hideTryItPanel": true,
  responses: {
    200: success("An empty list.", "Orders", { orders: { value: [] } }),
    ...errorResponses(ANY_OPERATION),
  },
};

/** What each operation is to its clients. */
export const OPERATIONS: Readonly<Record<OperationId, JsonObject>> = {
  listPets,
  createPet,
  getPet,
  getStoreOrders,
};
