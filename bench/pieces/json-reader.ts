import { parse } from "lossless-json";
import { original } from "./original.js";

// lossless-json for `adapters/http/body/json-reader.js`; it lets names that are given twice pass.
const { nameForMessage } = await original("adapters/http/body/json-reader.js");
const { JsonNumber } = await original("adapters/http/body/json-number.js");

export { nameForMessage };

const numberOf = (text: string) => new JsonNumber(text);

export function readJsonObject(text: string): Map<string, unknown> {
  return new Map(Object.entries(parse(text, null, numberOf) as object));
}
