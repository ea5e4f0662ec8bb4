import type { ListPetsQuerySchema } from "../../adapters/http/operations/schemas.js";
import { PAGE_LIMIT } from "../../application/list-pets.js";
import { type JsonObject, ref } from "../json.js";
import { errorResponses } from "./error-responses.js";
import { headerRefs } from "./header-refs.js";
import { ANY_OPERATION, REX, success, ZOE } from "./shared-parts.js";

/** The compiler asks for every parameter that is checked. */
const PARAMETERS: Record<keyof typeof ListPetsQuerySchema.entries, JsonObject> = {
  limit: {
    description: `Maximum number of pets on the page.

An integer from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}, in plain decimal digits; zeros before it do not count. Anything else (\`0\`, \`101\`, \`+5\`, \`1e1\`, \`5.0\`, empty) is 400 \`invalid_parameter\`.`,
    schema: ref("schemas", "Limit"),
  },
  status: {
    description: "Return only pets with this status. Without it, pets of every status.",
    schema: ref("schemas", "PetStatus"),
  },
  cursor: {
    description: `The beginning of the page, taken unchanged from the \`Link\` header of the page before.

It is opaque, URL-safe, and belongs to the \`status\` filter that it was made for; \`limit\` may change between pages. It outlives a restart of the service. With any character changed, or with another filter, it is 400 \`invalid_cursor\`.`,
    schema: ref("schemas", "Cursor"),
  },
};

export const listPets: JsonObject = {
  tags: ["Pets"],
  summary: "List pets",
  description: `Lists the catalogue, a page at a time, in ascending order of id. The \`Link\` header of a page has the address of the next one.

### Paging

The body is a bare array. If there are more pets, the answer carries a \`Link\` header (RFC 8288) with \`rel="next"\`: request that address, as it is, for the next page. The last page has none. A pet that exists during the whole walk is seen exactly once, whatever is created meanwhile.

### Strict parameters

The service refuses an unknown query parameter (\`unknown_parameter\`), so that a misspelt filter never quietly returns everything, and one that is given twice (\`duplicate_parameter\`). A \`limit\` out of bounds is refused, never clamped.`,
  parameters: Object.entries(PARAMETERS).map(([name, parameter]) => ({ name, in: "query", ...parameter })),
  responses: {
    200: {
      ...success(
        "A page of pets; an empty array if there are none.",
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
