import * as v from "valibot";
import { INT64_MAX, INT64_MIN, PET_STATUSES, type PetDraft } from "../../../domain/pet.js";
import { HttpError } from "../answer/error-codes.js";
import { JsonNumber, toInteger } from "../body/json-number.js";
import { nameForMessage } from "../body/json-reader.js";

// The schemas describe the shape of the wire; `pet.ts` and `list-pets.ts` of the core have the rules on the values.

const status = v.picklist(PET_STATUSES, `must be one of ${PET_STATUSES.join(", ")}`);

const INT64_RULE = "must be an integer from -2^63 to 2^63-1, written as a JSON number";

const int64 = v.pipe(
  v.instance(JsonNumber, INT64_RULE),
  v.transform(toInteger),
  v.bigint(INT64_RULE),
  v.minValue(INT64_MIN, INT64_RULE),
  v.maxValue(INT64_MAX, INT64_RULE),
);

/** The body of createPet. */
export const NewPetSchema = v.object({
  name: v.string("must be a string"),
  categoryId: int64,
  status: v.exactOptional(status),
});

const NEW_PET_MEMBERS = Object.entries(NewPetSchema.entries);

/** The query of listPets. */
export const ListPetsQuerySchema = v.object({
  limit: v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(/^\d+$/, "must be a whole number in plain decimal digits"),
      v.transform(Number),
    ),
  ),
  status: v.exactOptional(status),
  cursor: v.exactOptional(v.string()),
});

type ListPetsParameters = v.InferOutput<typeof ListPetsQuerySchema>;

/**
 * Checks the members of a createPet body. Leaves unknown members out; refuses them if `strict`.
 *
 * @throws HttpError `missing_field`, `invalid_field`, `unknown_field`
 */
export function readPetDraft(members: ReadonlyMap<string, unknown>, strict: boolean): PetDraft {
  const input: Record<string, unknown> = {};
  for (const [name, schema] of NEW_PET_MEMBERS) {
    if (members.has(name)) input[name] = members.get(name);
    else if (schema.type !== "exact_optional") {
      throw new HttpError("missing_field", `${name} is required; add it to the body.`);
    }
  }
  if (strict) refuseUnknown(members.keys(), NewPetSchema.entries, "unknown_field", "A member of the body");
  return parse(NewPetSchema, input, "invalid_field");
}

/**
 * Checks the query string of listPets.
 *
 * @throws HttpError `unknown_parameter`, `duplicate_parameter`, `invalid_parameter`
 */
export function readListPetsQuery(querystring: string): ListPetsParameters {
  if (querystring === "") return {};
  const parameters = new URLSearchParams(querystring);
  refuseUnknown(parameters.keys(), ListPetsQuerySchema.entries, "unknown_parameter", "A query parameter");
  const input: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (name in input) throw new HttpError("duplicate_parameter", `${name} is given twice; send it once.`);
    input[name] = value;
  }
  return parse(ListPetsQuerySchema, input, "invalid_parameter");
}

/**
 * Reads the id in the path of getPet. To a client a malformed one, even with a
 * broken percent-encoding, is an id that no pet has: 0.
 */
export function readPetId(petId: string): bigint {
  return /^[1-9]\d{0,18}$/.test(petId) ? BigInt(petId) : 0n;
}

function refuseUnknown(
  names: Iterable<string>,
  known: object,
  code: "unknown_field" | "unknown_parameter",
  description: string,
): void {
  for (const name of names) {
    if (Object.hasOwn(known, name)) continue;
    const expected = Object.keys(known).join(", ");
    throw new HttpError(
      code,
      `${nameForMessage(name, description)} is not known here; known are ${expected}.`,
    );
  }
}

function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  code: "invalid_field" | "invalid_parameter",
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new HttpError(code, `${v.getDotPath(issue)} ${issue.message}.`);
}
