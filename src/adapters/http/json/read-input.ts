import * as v from "valibot";
import { HttpError, showName, type WireErrorCode } from "../http-error.js";

/** An int64 in a body; `readObject` reads only integers of its range as bigints. */
export const int64 = v.bigint("must be an integer from -2^63 to 2^63-1, written as a JSON number");

export const wholeNumber = v.pipe(
  v.string(),
  v.regex(/^\d+$/, "must be a whole number in plain decimal digits"),
  v.transform(Number),
);

type ObjectSchema = v.ObjectSchema<v.ObjectEntries, undefined>;
type Values = Iterable<readonly [name: string, value: unknown]>;

/** Reads an id in a path. Text that cannot be an id counts as 0, which is never assigned. */
export function readId(text: string): bigint {
  return /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : 0n;
}

/** Checks the members of a body. Drops unknown members, or rejects them if `strict`. */
export function readMembers<Schema extends ObjectSchema>(schema: Schema, members: Values, strict: boolean) {
  if (strict) rejectUnknown(schema, members, "unknown_field", "A member of the body");
  return parse(schema, members, "invalid_field");
}

export function readQuery<Schema extends ObjectSchema>(schema: Schema, query: string) {
  // URLSearchParams strips one leading question mark; a second one is part of a name.
  const parameters = new URLSearchParams(`?${query}`);
  rejectUnknown(schema, parameters, "unknown_parameter", "A query parameter");
  const names = [...parameters.keys()];
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate) throw new HttpError("duplicate_parameter", `${duplicate} appears more than once.`);
  return parse(schema, parameters, "invalid_parameter");
}

function rejectUnknown({ entries }: ObjectSchema, values: Values, code: WireErrorCode, description: string) {
  for (const [name] of values) {
    if (Object.hasOwn(entries, name)) continue;
    const known = Object.keys(entries).join(", ");
    throw new HttpError(code, `${showName(name, description)} is unknown; the known ones are ${known}.`);
  }
}

function parse<Schema extends ObjectSchema>(schema: Schema, values: Values, code: WireErrorCode) {
  // valibot's own messages would repeat the input.
  const message = ({ expected }: v.BaseIssue<unknown>) => `must be ${expected}`;
  const { success, output, issues } = v.safeParse(schema, Object.fromEntries(values), { message });
  if (success) return output;
  const missing = issues.find(({ path }) => path?.[0].origin === "key");
  if (!missing) throw new HttpError(code, `${v.getDotPath(issues[0])} ${issues[0].message}.`);
  throw new HttpError("missing_field", `${v.getDotPath(missing)} is required; add it to the body.`);
}
