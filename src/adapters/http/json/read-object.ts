import { HttpError, showName } from "../http-error.js";
import { JsonNumber } from "./json-number.js";

/** The tokens of valid JSON, except commas. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+|[{}[\]:]/g;

/**
 * Reads the members of a JSON object, its numbers as `JsonNumber`, its objects and arrays as empty ones: no member of ours is
 * one. JSON.parse checks the syntax; the members come from a walk over the tokens, which also finds duplicate names at any
 * depth. The parser of Node 24 and 26 may take a name with an escape for another one (nodejs/node#63785).
 *
 * @throws HttpError `invalid_json`, `duplicate_field`
 */
export function readObject(text: string): Map<string, unknown> {
  checkObject(text);
  const members = new Map<string, unknown>();
  /** The names seen so far in each enclosing object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let [name, previous] = ["", ""];
  for (const token of text.match(TOKENS) ?? []) {
    if (previous === ":" && open.length === 1) members.set(name, readValue(token));
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
    }
    previous = token;
  }
  return members;
}

/** Reads the value that starts with a token. */
function readValue(token: string): unknown {
  if (token === "{") return {};
  if (token === "[") return [];
  return /^[-\d]/.test(token) ? new JsonNumber(token) : JSON.parse(token);
}

function checkObject(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError("invalid_json", "The body is not valid JSON (RFC 8259); check its syntax.");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw new HttpError("invalid_json", "The body must be a JSON object.");
}
