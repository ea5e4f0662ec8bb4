import { isInt64 } from "../../../domain/pet.js";
import { HttpError, showName } from "../http-error.js";

/** The tokens of valid JSON, except commas. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+|[{}[\]:]/g;

/**
 * Reads the members of a JSON object: integers as bigints; objects and arrays, which no field accepts, as
 * null. JSON.parse checks the syntax; a walk over the tokens finds the members, and duplicates at any depth.
 * The parser of Node 24 and 26 may mistake a name with an escape for another (nodejs/node#63785).
 *
 * @throws HttpError `invalid_json`, `duplicate_field`
 */
export function readObject(text: string): Map<string, unknown> {
  try {
    JSON.parse(text);
  } catch {
    throw new HttpError("invalid_json", "The body is not valid JSON (RFC 8259); check its syntax.");
  }
  const tokens = text.match(TOKENS) ?? [];
  if (tokens[0] !== "{") throw new HttpError("invalid_json", "The body must be a JSON object.");
  const members = new Map<string, unknown>();
  /** The enclosing objects with their members so far; undefined for an array. */
  const open: (Map<string, unknown> | undefined)[] = [];
  let [name, previous] = ["", ""];
  for (const token of tokens) {
    if (previous === ":") open.at(-1)?.set(name, readValue(token));
    if (token === "{") open.push(open.length === 0 ? members : new Map());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      name = JSON.parse(previous);
      if (open.at(-1)?.has(name)) {
        throw new HttpError("duplicate_field", `${showName(name, "A member")} appears more than once.`);
      }
    }
    previous = token;
  }
  return members;
}

/** Reads the value that starts with a token. */
function readValue(token: string): unknown {
  if (token === "{" || token === "[") return null;
  return /^[-\d]/.test(token) ? readInt64(token) : JSON.parse(token);
}

/** Reads a JSON integer, also as `5.0`, `5e0` or `-0`. Undefined for a fraction, and beyond an int64. */
export function readInt64(text: string): bigint | undefined {
  const [, whole = "", fraction = "", power = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = BigInt(whole + fraction);
  const shift = Number(power) - fraction.length;
  if (digits === 0n) return 0n;
  // A shift beyond the digits, or beyond an int64, need not be computed.
  if (shift < -text.length || shift > 18) return undefined;
  const scale = 10n ** BigInt(Math.abs(shift));
  const integer = shift < 0 ? digits / scale : digits * scale;
  return isInt64(integer) && (shift >= 0 || integer * scale === digits) ? integer : undefined;
}
