import { HttpError, showName } from "../http-error.js";
import { JsonNumber } from "./json-number.js";

/** The tokens of valid JSON, except commas. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+|[{}[\]:]/g;

/**
 * Reads the members of a JSON object, its numbers as `JsonNumber`. JSON.parse does the work; a walk over the tokens finds
 * what it hides: the digits of numbers, and duplicate names in an object at any depth.
 *
 * @throws HttpError `invalid_json`, `duplicate_field`
 */
export function readObject(text: string): Map<string, unknown> {
  const members = new Map(Object.entries(parseObject(text)));
  /** The names seen so far in each enclosing object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let [name, previous] = ["", ""];
  for (const token of text.match(TOKENS) ?? []) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      name = JSON.parse(previous);
      const names = open.at(-1);
      if (names?.has(name)) {
        throw new HttpError("duplicate_field", `${showName(name, "A member")} appears more than once.`);
      }
      names?.add(name);
    } else if (previous === ":" && open.length === 1 && /^[-\d]/.test(token)) {
      members.set(name, new JsonNumber(token));
    }
    previous = token;
  }
  return members;
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError("invalid_json", "The body is not valid JSON (RFC 8259); check its syntax.");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new HttpError("invalid_json", "The body must be a JSON object.");
}
