import type { JsonObject } from "../json.js";
import { type Html, html } from "./html.js";

/** Resolves a reference; returns anything else as it is. Members beside `$ref` add to its target. */
export function resolve(document: JsonObject, value: unknown): JsonObject {
  const object = (value ?? {}) as JsonObject;
  if (typeof object.$ref !== "string") return object;
  let target: unknown = document;
  for (const name of object.$ref.slice(2).split("/")) target = (target as JsonObject)[name];
  const { $ref, ...beside } = object;
  return { ...(target as JsonObject), ...beside };
}

/** A schema in a line: type, format, bounds, values, default. */
export function typeHtml(document: JsonObject, value: unknown): Html {
  const schema = resolve(document, value);
  const parts: Html[] = [];
  const item = schema.items as JsonObject | undefined;
  const itemName = typeof item?.$ref === "string" ? item.$ref.split("/").at(-1) : undefined;
  const type = itemName ? `array of ${itemName}` : schema.type;
  parts.push(html`<span class="type">${type as string}</span>`);
  if (schema.format) parts.push(html`${schema.format as string}`);
  if (Array.isArray(schema.enum)) {
    parts.push(html`one of ${schema.enum.map((name, i) => html`${i ? ", " : ""}<code>${name}</code>`)}`);
  }
  if (schema.const !== undefined) parts.push(html`always <code>${schema.const as string}</code>`);
  const range = rangeOf(schema);
  if (range) parts.push(html`${range}`);
  if (schema.default !== undefined) parts.push(html`default <code>${schema.default as string}</code>`);
  return html`${parts.map((part, i) => html`${i ? " · " : ""}${part}`)}`;
}

function rangeOf({ minimum, maximum, minLength, maxLength, maxItems }: JsonObject): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `${bound(minimum)} to ${bound(maximum)}`;
  if (minLength !== undefined) return `${minLength} to ${maxLength} characters`;
  if (maxItems !== undefined) return maxItems === 0 ? "empty" : `at most ${maxItems}`;
  return undefined;
}

/** A bound as people write it: the ends of int64 and of the exact doubles as powers. */
function bound(value: unknown): string {
  const powers: Record<string, string> = {
    "-9223372036854775808": "−2⁶³",
    "9223372036854775807": "2⁶³−1",
    "9007199254740991": "2⁵³−1",
  };
  return powers[String(value)] ?? String(value);
}
