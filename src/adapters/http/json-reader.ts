import { HttpError } from "./error-codes.js";

/** A JSON number as it was written, so that no digit is lost to a double. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** The tokens of a text that is known to be JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Reads a JSON object (RFC 8259) member by member; numbers directly in it arrive as JsonNumber.
 *
 * The engine's own parser judges and reads the text. The walk over its tokens adds what that parser cannot tell:
 * how a number was written, and whether any object in the text, at any depth, gives a name twice.
 *
 * @throws HttpError `invalid_json`, `duplicate_field`
 */
export function readJsonObject(text: string): Map<string, unknown> {
  const object = parseObject(text);
  const members = new Map<string, unknown>();
  /** The names seen in each object that is open at this point of the text; undefined stands for an array. */
  const open: (Set<string> | undefined)[] = [];
  let name = "";
  let previous = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (previous === ":" && open.length === 1) {
      const value = object[name];
      members.set(name, typeof value === "number" ? new JsonNumber(token) : value);
    }
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      name = JSON.parse(previous);
      const names = open.at(-1);
      if (names?.has(name)) {
        throw new HttpError(
          "duplicate_field",
          `${nameForMessage(name, "A member")} is given twice; send it once.`,
        );
      }
      names?.add(name);
    }
    previous = token;
  }
  return members;
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError("invalid_json", "The body is not valid JSON (RFC 8259); correct its syntax.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new HttpError("invalid_json", "The body must be a JSON object.");
  }
  return value as Record<string, unknown>;
}

/** A name as a message may show it: itself where it is short and plain, else a description. */
export function nameForMessage(name: string, description: string): string {
  return /^[A-Za-z][\w-]{0,31}$/.test(name) ? name : description;
}

/**
 * The integer a JSON number stands for, exactly: `5`, `5.0`, `5e0` and `-0` are integers.
 * Undefined where it has a fraction or more than 19 digits, which no int64 has.
 */
export function toInteger({ text }: JsonNumber): bigint | undefined {
  if (/^-?\d{1,18}$/.test(text)) return BigInt(text);
  const [, sign, whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return 0n;
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  const significant = digits.slice(0, end);
  const zeros = digits.length - significant.length - fraction.length + Number(power);
  if (zeros < 0 || significant.length + zeros > 19) return undefined;
  return BigInt(sign + significant + "0".repeat(zeros));
}
