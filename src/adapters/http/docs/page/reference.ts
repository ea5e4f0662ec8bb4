import { type Html, html } from "../browser/html.js";
import type { Schema } from "./document.js";
import { membersOf, rowsHtml, shape } from "./fields.js";
import { markdown } from "./markdown.js";

/** Every error code with its status and what to do. */
export function errorsHtml(schemas: readonly Schema[]): Html {
  const error = schemas.find(({ referred }) => referred === "Error");
  const codes = Object.entries(error?.properties?.code?.["x-enum"] ?? {});
  const statuses = [...new Set(codes.map(([, { status }]) => status))];
  return html`<section id="errors" data-find="section" aria-labelledby="errors-title">
  <h2 id="errors-title"><a href="#errors">Error codes</a></h2>
  <p>Every answer of 400 or above carries one of these as <code>code</code>.</p>
  ${statuses.map(
    (wanted) =>
      html`<dl class="rows codes" id="errors-${wanted}">${codes
        .filter(([, { status }]) => status === wanted)
        .map(
          ([code, { status, advice }]) => html`
<div id="error-${code}" data-find="error code"><dt><span class="status bad">${status}</span> <a href="#error-${code}"><code>${code}</code></a></dt><dd>${advice}</dd></div>`,
        )}</dl>`,
  )}
</section>`;
}

/** The shapes that have a name. */
export function schemasHtml(schemas: readonly Schema[]): Html {
  return html`<section id="schemas" data-find="section" aria-labelledby="schemas-title">
  <h2 id="schemas-title"><a href="#schemas">Schemas</a></h2>
  <div class="guide">${schemas.map(
    ({ referred: name, ...schema }) =>
      html`<div id="schema-${name}" data-find="schema"><h3><a href="#schema-${name}">${name}</a></h3>${markdown(schema.description)}
${schema.properties ? rowsHtml(membersOf(schema, `schema-${name}`, `member of ${name}`)) : html`<p class="note">${shape(schema)}</p>`}</div>`,
  )}</div>
</section>`;
}
