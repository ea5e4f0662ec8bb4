import { ErrorAnswer } from "../answer/error-codes.js";
import { numberAt } from "./json-number.js";

/**
 * Reads a JSON object (RFC 8259) member by member; numbers directly in it arrive as JsonNumber.
 *
 * The engine's own parser checks and reads the text. A walk over the text adds two things that the parser
 * hides: the digits of a number, and whether any object, at any depth, has a name twice.
 *
 * @throws ErrorAnswer `invalid_json`, `duplicate_field`
 */
export function readJsonObject(text: string): Map<string, unknown> {
  const object = parseObject(text);
  const members = new Map<string, unknown>();
  /**
   * For each object that is open at this point of the text, the names that it has so far; undefined for an
   * array.
   */
  const open: (Set<string> | undefined)[] = [];
  /** The text of the last string. */
  let string = "";
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        string = stringAt(text, at);
        at += string.length - 1;
        break;
      case "{":
        open.push(new Set());
        break;
      case "[":
        open.push(undefined);
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ":": {
        const name: string = string.includes("\\") ? JSON.parse(string) : string.slice(1, -1);
        addName(name, open.at(-1));
        if (open.length > 1) break;
        const value = object[name];
        members.set(name, typeof value === "number" ? numberAt(text, at + 1) : value);
      }
    }
  }
  return members;
}

function addName(name: string, names: Set<string> | undefined): void {
  if (names?.has(name)) {
    throw new ErrorAnswer(
      "duplicate_field",
      `${nameForMessage(name, "A member")} is given twice; send it once.`,
    );
  }
  names?.add(name);
}

/** The text of the string that begins here: up to the next quote that no backslash escapes. */
function stringAt(text: string, start: number): string {
  let end = start;
  let backslashes: number;
  do {
    end = text.indexOf('"', end + 1);
    backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes++;
  } while (backslashes % 2 === 1);
  return text.slice(start, end + 1);
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ErrorAnswer("invalid_json", "The body is not valid JSON (RFC 8259); correct its syntax.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ErrorAnswer("invalid_json", "The body must be a JSON object.");
  }
  return value as Record<string, unknown>;
}

/** A name as a message may show it: the name if it is short and plain, otherwise a description. */
export function nameForMessage(name: string, description: string): string {
  return /^[A-Za-z][\w-]{0,31}$/.test(name) ? name : description;
}
