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

/** Reads an id in a path. To a client a malformed one, even with a broken percent-encoding, is an id that nothing has: 0. */
export function readId(text = ""): bigint {
  return /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : 0n;
}
