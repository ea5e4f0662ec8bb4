import { type Html, html } from "../browser/html.js";
import type { Schema } from "./document.js";
import { markdown } from "./markdown.js";

export interface Field {
  /** Its anchor. */
  readonly id: string;
  readonly name: string;
  /** The word for its kind in search. */
  readonly kind: string;
  readonly schema: Schema;
  readonly description: string | undefined;
  /** A word beside the name, such as the place of a parameter. */
  readonly note?: string;
  readonly required?: boolean;
}

/** Parameters, members or headers: the name, shape and meaning of each. */
export function rowsHtml(fields: readonly Field[]): Html {
  return html`<dl class="rows">${fields.map(
    ({ id, name, kind, schema, description, note, required }) => html`
<div id="${id}" data-find="${kind}"><dt><a href="#${id}"><code>${name}</code></a> ${required && html`<span class="label">required</span>`} <span class="note">${note && html`${note} · `}${shape(schema)}</span></dt><dd>${markdown(description)}</dd></div>`,
  )}</dl>`;
}

/** The same under a title; nothing if there are none. */
export function fieldsHtml(title: string, fields: readonly Field[]): Html | false {
  return fields.length > 0 && html`<h3>${title}</h3>${rowsHtml(fields)}`;
}

/** The members of an object schema. */
export function membersOf(schema: Schema | undefined, prefix: string, kind: string): Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, member]) => ({
    id: `${prefix}-${name}`,
    name,
    kind,
    schema: member,
    description: member.description,
    required: schema?.required?.includes(name) ?? false,
  }));
}

/** A schema in a line: type, format, values, bounds, default. */
export function shape(schema: Schema): Html {
  const { type, format, items, enum: values, default: preset } = schema;
  const named = items?.properties ? html`array of ${link(items)}` : schema.properties && link(schema);
  const parts = [
    named ?? [type ?? []].flat().join(" or "),
    format,
    values && html`one of ${values.map((value, i) => html`${i > 0 && ", "}<code>${value}</code>`)}`,
    bounds(schema),
    preset !== undefined && html`default <code>${String(preset)}</code>`,
  ];
  return html`${parts.filter(Boolean).map((part, i) => html`${i > 0 && " · "}${part}`)}`;
}

function link({ referred }: Schema): Html {
  return html`<a href="#schema-${referred}">${referred}</a>`;
}

/** Bounds as people write them: the ends of int64 and of the exact doubles as powers. */
const POWERS: Readonly<Record<string, string>> = {
  "-9223372036854775808": "−2⁶³",
  "9223372036854775807": "2⁶³−1",
  "9007199254740991": "2⁵³−1",
};

function bounds({ minimum, maximum, minLength, maxLength, maxItems }: Schema): string | undefined {
  if (maxItems === 0n) return "empty";
  const [least, most] = [minimum ?? minLength, maximum ?? maxLength ?? maxItems].map(
    (bound) => bound !== undefined && (POWERS[String(bound)] ?? String(bound)),
  );
  const range =
    least && most ? `${least} to ${most}` : least ? `at least ${least}` : most && `at most ${most}`;
  return range && (minLength ?? maxLength) !== undefined ? `${range} characters` : range || undefined;
}
