import type { JsonObject } from "../json.js";
import { errorResponses } from "./error-responses.js";
import { headerRefs } from "./header-refs.js";
import { ANY_OPERATION, REX, success } from "./shared-parts.js";

const DEPRECATION = ["Deprecation", "Sunset", "Successor"] as const;

export const getPet: JsonObject = {
  tags: ["Pets"],
  summary: "Get a pet",
  description: `Fetches one pet by its id. The operation is deprecated: list pets with the \`status\` filter instead.

### Deprecation

The operation is to be removed on 5 December 2030. Every answer, 200, 401 and 404 alike, says so in its \`Deprecation\`, \`Sunset\` and \`Link\` headers. The service goes on serving it after that date unless the operator turns it off; then it is 410 \`operation_removed\`. Its use is counted per API key.`,
  deprecated: true,
  "x-deprecated-sunset": "2030-12-05",
  "x-replaced-by": "listPets",
  parameters: [
    {
      name: "petId",
      in: "path",
      required: true,
      description:
        "The id of the pet.\n\nA text that cannot be an id (out of range, malformed, `01`, `+1`, `1.0`) is 404 `pet_not_found`.",
      schema: { type: "integer", format: "int64", examples: [42] },
    },
  ],
  responses: {
    200: success("The pet.", "Pet", { pet: { value: REX } }, headerRefs(...DEPRECATION)),
    ...errorResponses(
      [...ANY_OPERATION, "pet_not_found", "operation_removed", "storage_unavailable"],
      DEPRECATION,
    ),
  },
};
