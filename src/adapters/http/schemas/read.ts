import * as v from "valibot";
import { ErrorAnswer, type WireErrorCode } from "../answer/error-codes.js";
import { nameForMessage } from "../body/json-reader.js";

/** A schema of a body or a query: the schemas of its members by name. */
type ObjectSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/**
 * Checks the members of a body. Leaves unknown members out; refuses them if `strict`.
 *
 * @throws ErrorAnswer `missing_field`, `invalid_field`, `unknown_field`
 */
export function readMembers<Schema extends ObjectSchema>(
  schema: Schema,
  members: ReadonlyMap<string, unknown>,
  strict: boolean,
): v.InferOutput<Schema> {
  if (strict) refuseUnknown(members.keys(), schema, "unknown_field", "A member of the body");
  const known = Object.keys(schema.entries).filter((name) => members.has(name));
  const input = Object.fromEntries(known.map((name) => [name, members.get(name)]));
  return parse(schema, input, "invalid_field");
}

/**
 * Checks a query string.
 *
 * @throws ErrorAnswer `unknown_parameter`, `duplicate_parameter`, `invalid_parameter`
 */
export function readQuery<Schema extends ObjectSchema>(
  schema: Schema,
  querystring: string,
): v.InferOutput<Schema> {
  // It would drop a question mark at the start, which is part of a name here.
  const parameters = new URLSearchParams(`?${querystring}`);
  refuseUnknown(parameters.keys(), schema, "unknown_parameter", "A query parameter");
  const input: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (name in input) throw new ErrorAnswer("duplicate_parameter", `${name} is given twice; send it once.`);
    input[name] = value;
  }
  return parse(schema, input, "invalid_parameter");
}

function refuseUnknown(
  names: Iterable<string>,
  { entries }: ObjectSchema,
  code: WireErrorCode,
  description: string,
): void {
  for (const name of names) {
    if (Object.hasOwn(entries, name)) continue;
    const expected = Object.keys(entries).join(", ");
    throw new ErrorAnswer(
      code,
      `${nameForMessage(name, description)} is not known here; known are ${expected}.`,
    );
  }
}

function parse<Schema extends ObjectSchema>(
  schema: Schema,
  input: unknown,
  code: WireErrorCode,
): v.InferOutput<Schema> {
  // A schema without words of its own gets these: valibot's would repeat what was sent.
  const result = v.safeParse(schema, input, { message: ({ expected }) => `must be ${expected}` });
  if (result.success) return result.output;
  const missing = result.issues.find(({ path }) => path?.[0].origin === "key");
  if (missing) {
    throw new ErrorAnswer("missing_field", `${v.getDotPath(missing)} is required; add it to the body.`);
  }
  const [issue] = result.issues;
  throw new ErrorAnswer(code, `${v.getDotPath(issue)} ${issue.message}.`);
}
