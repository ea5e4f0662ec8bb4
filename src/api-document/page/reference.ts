import type { ApiDocument } from "./document.js";
import { fieldsHtml, membersOf } from "./fields.js";
import { type Html, html, markdown } from "./html.js";

/** Every error code with its status and what to do. */
export function errorsHtml({ components }: ApiDocument): Html {
  const codes = Object.entries(components.schemas.Error?.properties?.code?.["x-enum"] ?? {});
  return html`<section id="errors" aria-labelledby="errors-title">
  <h2 id="errors-title"><a href="#errors">Error codes</a></h2>
  <p>Every answer of 400 or above carries one of these as <code>code</code>.</p>
  ${[...new Set(codes.map(([, { status }]) => status))].map(
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

/** The shapes of answers; operations show those of requests. */
export function schemasHtml({ components }: ApiDocument): Html {
  return html`<section id="schemas" aria-labelledby="schemas-title">
  <h2 id="schemas-title"><a href="#schemas">Schemas</a></h2>
  <div class="guide">${Object.entries({ Pet: components.schemas.Pet, Error: components.schemas.Error }).map(
    ([name, schema]) =>
      schema &&
      html`<div id="schema-${name}" data-find="schema"><h3><a href="#schema-${name}">${name}</a></h3>${markdown(schema.description)}${fieldsHtml(membersOf({ ...schema, required: [] }, `schema-${name}`, `member of ${name}`))}</div>`,
  )}</div>
</section>`;
}
