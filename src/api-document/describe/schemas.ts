import { toJsonSchema } from "@valibot/to-json-schema";
import { ListPetsQuerySchema, NewPetSchema } from "../../adapters/http/operations/schemas.js";
import { PAGE_LIMIT } from "../../application/list-pets.js";
import { DEFAULT_STATUS, INT64_MAX, INT64_MIN, NAME_MAX_LENGTH } from "../../domain/pet.js";
import { type JsonObject, ref } from "../json.js";

// The shape of requests comes from the schemas that check them; the rules on values come from the core.

// Unicode's general category Cc and property White_Space, written so that patterns of any language know them.
const CONTROL = "\\u0000-\\u001F\\u007F-\\u009F";
const WHITE_SPACE = "\\u0020\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000";

const newPet = shapeOf(NewPetSchema);

/** The compiler asks for every member that is checked. */
const NEW_PET_MEMBERS: Record<keyof typeof NewPetSchema.entries, JsonObject> = {
  name: {
    ...newPet.properties.name,
    description:
      `The pet's name, stored exactly as sent. Several pets may have the same name.\n\n` +
      `It has 1 to ${NAME_MAX_LENGTH} Unicode code points, at least one of them not white space, no control ` +
      "characters (C0, DEL, C1; format characters, such as the zero width joiner of emoji, are none), no lone surrogates.",
    minLength: 1,
    maxLength: NAME_MAX_LENGTH,
    pattern: `^[^${CONTROL}]*[^${CONTROL}${WHITE_SPACE}][^${CONTROL}]*$`,
    examples: ["Rex"],
  },
  categoryId: {
    ...newPet.properties.categoryId,
    format: "int64",
    minimum: INT64_MIN,
    maximum: INT64_MAX,
    description:
      "The category that the pet belongs to: any int64, zero and negative included.\n\nIt is exact over the whole " +
      'range, in and out; `5.0` and `5e0` are read as 5, `-0` as 0. A string (`"5"`) or a fraction is refused.',
    examples: [7],
  },
  status: { ...ref("schemas", "PetStatus"), description: "Availability status." },
};

export const SCHEMAS: JsonObject = {
  PetStatus: {
    type: "string",
    enum: newPet.properties.status?.enum ?? [],
    description: "Whether the pet can be had.",
  },
  NewPet: {
    type: "object",
    description:
      "A pet to create.\n\nMembers beside these are ignored and never stored, `id` included; with " +
      "`Prefer: handling=strict` they are refused.",
    required: newPet.required,
    properties: {
      ...NEW_PET_MEMBERS,
      status: { ...NEW_PET_MEMBERS.status, default: DEFAULT_STATUS },
    },
  },
  Pet: {
    type: "object",
    description: "A pet of the catalogue. It never changes.\n\nLater versions may add members.",
    required: ["id", ...Object.keys(NEW_PET_MEMBERS)],
    properties: {
      id: {
        type: "integer",
        format: "int64",
        minimum: 1,
        maximum: 2n ** 53n - 1n,
        description:
          "The pet's own number, assigned by the service.\n\nIds go from 1 upwards, never used again, with gaps; below 2⁵³, so that " +
          "a double holds it exactly.",
        readOnly: true,
        examples: [42],
      },
      ...NEW_PET_MEMBERS,
    },
  },
  Pets: {
    type: "array",
    description: "A page of the catalogue, in ascending order of id.",
    items: ref("schemas", "Pet"),
    maxItems: PAGE_LIMIT.max,
  },
  Error: {
    type: "object",
    description: "The body of every answer of 400 or above.",
    required: ["code", "message", "status"],
    properties: {
      code: { type: "string", description: "Machine-readable error code." },
      message: {
        type: "string",
        description:
          "For people: it names the field and the rule, and says what to do next.\n\nIt never repeats a value that was sent, " +
          "and its wording may change.",
      },
      status: {
        type: "integer",
        minimum: 400,
        maximum: 599,
        description: "The HTTP status code of the response.",
      },
    },
    additionalProperties: false,
  },
  Limit: {
    type: "integer",
    minimum: PAGE_LIMIT.min,
    maximum: PAGE_LIMIT.max,
    default: PAGE_LIMIT.default,
  },
  // No example: tools would send it, and a cursor belongs to its filter.
  Cursor: shapeOf(ListPetsQuerySchema).properties.cursor ?? {},
  Orders: { type: "array", items: {}, maxItems: 0, description: "Always empty." },
};

interface ObjectSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, JsonObject>>;
}

function shapeOf(schema: typeof NewPetSchema | typeof ListPetsQuerySchema): ObjectSchema {
  const shape = toJsonSchema(schema, {
    typeMode: "input",
    target: "draft-2020-12",
    // The service reads a number as JsonNumber, so that it stays exact; on the wire it is an integer.
    overrideSchema: ({ valibotSchema }) =>
      valibotSchema.type === "instance" ? { type: "integer" } : undefined,
    ignoreActions: ["transform"],
  });
  return shape as unknown as ObjectSchema;
}
