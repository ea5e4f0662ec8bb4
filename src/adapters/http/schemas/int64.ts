import * as v from "valibot";
import { INT64_MAX, INT64_MIN } from "../../../domain/int64.js";
import { JsonNumber, toInteger } from "../body/json-number.js";

const RULE = "must be an integer from -2^63 to 2^63-1, written as a JSON number";

/** An int64 in a body. */
export const int64 = v.pipe(
  v.instance(JsonNumber, RULE),
  v.transform(toInteger),
  v.bigint(RULE),
  v.minValue(INT64_MIN, RULE),
  v.maxValue(INT64_MAX, RULE),
);

/** Reads an id in a path. A malformed one, even one with a broken percent-encoding, counts as 0, which nothing has. */
export function readId(text = ""): bigint {
  return /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : 0n;
}
