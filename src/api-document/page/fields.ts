import type { Schema } from "./document.js";
import { type Html, html, markdown } from "./html.js";

export interface Field {
  /** Its anchor. */
  readonly id: string;
  readonly name: string;
  /** The word for its kind in search. */
  readonly kind: string;
  readonly schema: Schema;
  readonly description: string | undefined;
  /** A word beside the name, such as the place of a parameter. */
  readonly note?: string | undefined;
  readonly required?: boolean | undefined;
}

/** Parameters, members or headers: the name, shape and meaning of each. */
export function fieldsHtml(fields: readonly Field[]): Html {
  return html`<dl class="rows">${fields.map(
    ({ id, name, kind, schema, description, note, required }) => html`
<div id="${id}" data-find="${kind}"><dt><a href="#${id}"><code>${name}</code></a> ${note && html`<span class="note">${note}</span>`} ${required && html`<span class="required">required</span>`} <span class="note">${shape(schema)}</span></dt><dd>${markdown(description)}</dd></div>`,
  )}</dl>`;
}

/** The members of an object schema. */
export function membersOf({ properties = {}, required = [] }: Schema, prefix: string, kind: string): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    id: `${prefix}-${name}`,
    name,
    kind,
    schema,
    description: schema.description,
    required: required.includes(name),
  }));
}

/** A schema in a line: type, format, values, bounds, default. */
export function shape(schema: Schema): Html {
  const { type, format, items, enum: values, default: preset } = schema;
  const parts = [
    items?.referred
      ? html`array of <a href="#schema-${items.referred}">${items.referred}</a>`
      : html`${type}`,
    format && html`${format}`,
    values && html`one of ${values.map((value, i) => html`${i > 0 && ", "}<code>${value}</code>`)}`,
    bounds(schema),
    preset !== undefined && html`default <code>${String(preset)}</code>`,
  ];
  return html`${parts.filter(Boolean).map((part, i) => html`${i > 0 && " · "}${part}`)}`;
}

/** Bounds as people write them: the ends of int64 and of the exact doubles as powers. */
const POWERS: Readonly<Record<string, string>> = {
  "-9223372036854775808": "−2⁶³",
  "9223372036854775807": "2⁶³−1",
  "9007199254740991": "2⁵³−1",
};

function bounds({ minimum, maximum, minLength, maxLength, maxItems }: Schema): Html | undefined {
  const written = (bound: bigint | undefined) => POWERS[String(bound)] ?? String(bound);
  if (minimum !== undefined) return html`${written(minimum)} to ${written(maximum)}`;
  if (minLength !== undefined) return html`${minLength} to ${maxLength} characters`;
  return maxItems === undefined ? undefined : html`${maxItems === 0n ? "empty" : html`at most ${maxItems}`}`;
}
