import { DEFAULT_STATUS } from "../../domain/pet.js";
import { type JsonObject, ref } from "../json.js";
import { errorResponses } from "./error-responses.js";
import { headerRefs } from "./header-refs.js";
import { ANY_OPERATION, REX, success } from "./shared-parts.js";

export const createPet: JsonObject = {
  tags: ["Pets"],
  summary: "Create a pet",
  description: `Adds a pet to the catalogue and assigns its id. If you send no status, the pet is \`${DEFAULT_STATUS}\`; this is stored, so a read always shows one.

### Safe to retry

Send an \`Idempotency-Key\` of your own making (a UUID is fine). The same key, API key and body, byte for byte, answer the same 201 and the same pet again, with \`Idempotency-Replayed: true\`; another body is 400 \`idempotency_key_reused\`. The service keeps a key for at least 24 hours. A refused create leaves its key free.

### The body to the letter

Send one JSON object in UTF-8 of at most 16 KiB, as \`application/json\` and without a \`Content-Encoding\`; a body without a type, or of another type, is 415. Without any body and type the answer is 400 \`missing_body\`. An empty body counts as no body; if it comes in chunks, the service checks its type first.

A member given twice is refused (\`duplicate_field\`), in any object at any depth, unknown members included. Unknown members are ignored and never stored, \`id\` included; with \`Prefer: handling=strict\` they are 400 \`unknown_field\`.`,
  parameters: [
    {
      name: "Idempotency-Key",
      in: "header",
      description: `Makes the create safe to repeat: a text of your own, new for each pet.

It has 1 to 255 visible ASCII characters, bare or in double quotes; both forms are the same key. Anything else is 400 \`invalid_idempotency_key\`.`,
      // No example: a client that a tool makes from it would send one key for every pet.
      schema: {
        type: "string",
        pattern: '^("[!-~]{1,255}"|[!#-~][!-~]{0,254})$',
      },
    },
    {
      name: "Prefer",
      in: "header",
      description:
        "With `handling=strict` the service refuses unknown members of the body; otherwise it ignores them (RFC 7240).\n\n" +
        "It ignores other preferences.",
      schema: { type: "string", examples: ["handling=strict"] },
    },
  ],
  requestBody: {
    required: true,
    description: "The pet to create.",
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
        "The created pet. The storage has it before the answer is sent.",
        "Pet",
        { created: { value: REX } },
        headerRefs("Location", "IdempotencyReplayed"),
      ),
      links: {
        createdPet: {
          operationId: "getPet",
          description: "The pet that was created.",
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
