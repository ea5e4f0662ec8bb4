import type { Api, Field, Schema } from "./api.js";
import { type Html, html, markdown } from "./html.js";

/** The members of an object schema. */
export function membersOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => {
    return { name, schema, description: schema.description, required: required.includes(name) };
  });
}

/** The name, type and meaning of each field. */
export function fieldsHtml(prefix: string, fields: readonly Field[]): Html {
  const rows = fields.map(({ name, required, in: location, schema, description }) => {
    const label = required && html`<span class="label">required</span>`;
    const note = html`<span class="note">${location && `${location} · `}${typeHtml(schema)}</span>`;
    return html`
<div id="${prefix}-${name}"><dt><code>${name}</code> ${label} ${note}</dt><dd>${markdown(description)}</dd></div>`;
  });
  return html`<dl>${rows}</dl>`;
}

/** A schema in one line: type, format, values, bounds, default. */
export function typeHtml(schema: Schema): Html {
  const { type, format, items, enum: values, default: preset } = schema;
  const parts = [
    items?.component
      ? html`array of <a href="#schema-${items.component}">${items.component}</a>`
      : schema.properties
        ? html`<a href="#schema-${schema.component}">${schema.component}</a>`
        : type,
    format,
    values?.join(", "),
    boundsOf(schema),
    preset !== undefined && `default ${preset}`,
  ];
  return html`${parts.filter(Boolean).map((part, i) => html`${i > 0 && " · "}${part}`)}`;
}

function boundsOf({ minimum, maximum, minLength, maxLength, maxItems }: Schema): string | false {
  if (maxLength !== undefined) return `${minLength ?? 0} to ${maxLength} characters`;
  if (maxItems !== undefined) return `at most ${maxItems}`;
  // The bounds of int64 go without saying.
  return maximum !== undefined && maximum < 2n ** 63n - 1n && `${minimum} to ${maximum}`;
}

/** Every error code with its status and remedy. */
export function errorCodesHtml({ schemas }: Api): Html {
  const codes = Object.entries(schemas.Error?.properties?.code?.["x-enum"] ?? {});
  const statuses = [...new Set(codes.map(([, { status }]) => status))];
  return html`<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title"><a href="#errors">Error codes</a></h2>
<p>Every response with a status of 400 or above has one of these as its <code>code</code>.</p>
${statuses.map((status) => {
  const ofStatus = codes.filter(([, code]) => code.status === status);
  return html`<dl id="errors-${status}">${ofStatus.map(([code, { advice }]) => codeHtml(code, status, advice))}</dl>`;
})}
</section>`;
}

function codeHtml(code: string, status: bigint, advice: string): Html {
  const name = html`<a href="#error-${code}"><code>${code}</code></a>`;
  return html`
<div id="error-${code}"><dt><b class="bad">${status}</b> ${name}</dt><dd>${advice}</dd></div>`;
}

/** Every named schema. */
export function schemasHtml({ schemas }: Api): Html {
  return html`<section id="schemas" aria-labelledby="schemas-title">
<h2 id="schemas-title"><a href="#schemas">Schemas</a></h2>
${Object.entries(schemas).map(([name, schema]) => {
  const members = membersOf(schema);
  return html`
<div id="schema-${name}">
  <h3><a href="#schema-${name}">${name}</a></h3>
  ${markdown(schema.description)}
  ${members.length > 0 ? fieldsHtml(`schema-${name}`, members) : html`<p class="note">${typeHtml(schema)}</p>`}
</div>`;
})}
</section>`;
}
