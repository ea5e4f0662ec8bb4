import type { Api, Field, Schema } from "./api.js";
import { type Html, html, markdown, type Part, partHtml } from "./html.js";

/** Renders the name, type and description of each field. */
export function fieldsHtml(prefix: string, fields: readonly Field[]): Html {
  const rows = fields.map(({ name, required, in: location, schema, description }) => {
    const label = required && html`<small class="highlight">required</small>`;
    const note = [location, ...typeOf(schema)].filter(Boolean).map((part, i) => [i > 0 && " · ", part]);
    return html`
<div id="${prefix}-${name}"><dt><code>${name}</code> ${label} <small class="note">${note}</small></dt>
<dd>${markdown(description)}</dd></div>`;
  });
  return html`<dl>${rows}</dl>`;
}

function typeOf(schema: Schema): Part[] {
  const { type, format, items, enum: values, default: preset } = schema;
  const link = ({ component }: Schema) => html`<a href="#schema-${component}">${component}</a>`;
  return [
    items?.component ? html`array of ${link(items)}` : schema.properties ? link(schema) : type,
    format,
    values?.join(", "),
    boundsOf(schema),
    preset !== undefined && `default ${preset}`,
  ];
}

function boundsOf({ minimum, maximum, minLength, maxLength }: Schema): string | false {
  if (maxLength !== undefined) return `${minLength ?? 0} to ${maxLength} characters`;
  // The bounds of int64 go without saying.
  return maximum !== undefined && maximum < 2n ** 63n - 1n && `${minimum} to ${maximum}`;
}

export function membersOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => {
    return { name, schema, description: schema.description, required: required.includes(name) };
  });
}

export function errorCodesHtml({ schemas }: Api): Html {
  const codes = Object.entries(schemas.Error?.properties?.code?.["x-enum"] ?? {});
  const fields = codes.map(([name, { status, advice }]) => {
    return { name, in: `${status}`, description: advice, schema: {} };
  });
  return partHtml("h2", "errors", "Error codes", fieldsHtml("error", fields));
}

export function schemasHtml({ schemas }: Api): Html {
  const parts = Object.entries(schemas).map(([name, schema]) => {
    const id = `schema-${name}`;
    const fields = schema.properties ? membersOf(schema) : [{ name: "value", schema }];
    return partHtml("h3", id, name, [markdown(schema.description), fieldsHtml(id, fields)]);
  });
  return partHtml("h2", "schemas", "Schemas", parts);
}
