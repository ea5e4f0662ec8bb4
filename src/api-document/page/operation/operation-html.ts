import type { JsonObject } from "../../json.js";
import { foldHtml } from "../fold-html.js";
import { type Html, html } from "../html.js";
import { markdown, sections } from "../markdown.js";
import { fieldHtml, membersHtml } from "../schema-html.js";
import { resolve } from "../type-html.js";
import { answerHtml, errorsHtml } from "./answers-html.js";
import { exampleHtml } from "./example-html.js";
import type { PlacedOperation } from "./placed-operation.js";

/** One operation: first the usual case and its example, then fields, answers, and the parts for careful readers. */
export function operationHtml(document: JsonObject, placed: PlacedOperation): Html {
  const { id, method, path, operation } = placed;
  const { first, rest } = sections(operation.description, "###");
  return html`
<section class="operation" id="${id}" data-find="operation" aria-labelledby="${id}-title">
  <div class="columns">
    <div class="about text">
      <h2 id="${id}-title"><a href="#${id}">${operation.summary as string}</a> ${labelsHtml(operation)}</h2>
      <p class="route"><span class="method">${method}</span> <code>${path}</code> <span class="id">${id}</span></p>
      ${noticeHtml(document, operation)}
      ${markdown(first)}
    </div>
    <div class="side">${exampleHtml(document, placed)}</div>
    <div class="text">
      ${parametersHtml(document, placed)}
      ${bodyHtml(document, placed)}
      ${answerHtml(placed)}
      ${rest.map(({ id: slug, title, text }) =>
        foldHtml(`${id}-${slug}`, `about ${operation.summary as string}`, title, markdown(text)),
      )}
      ${errorsHtml(placed)}
    </div>
  </div>
</section>`;
}

export function labelsHtml(operation: JsonObject): Html {
  if (operation.deprecated) return html`<span class="label deprecated">Deprecated</span>`;
  if (operation["x-stability"] === "beta") return html`<span class="label beta">Beta</span>`;
  return html``;
}

function noticeHtml(document: JsonObject, operation: JsonObject): Html {
  if (!operation.deprecated) return html``;
  const date = operation["x-deprecated-sunset"] as string;
  const replacement = operation["x-replaced-by"] as string;
  const summary = Object.values(document.paths as JsonObject)
    .flatMap((item) => Object.values(item as JsonObject) as JsonObject[])
    .find(({ operationId }) => operationId === replacement)?.summary as string;
  const words = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(new Date(date));
  return html`<p class="notice">To be removed on <time datetime="${date}">${words}</time>. Use <a href="#${replacement}">${summary}</a> with the <code>status</code> filter instead.</p>`;
}

function parametersHtml(document: JsonObject, { id, operation }: PlacedOperation): Html {
  if (!operation.parameters) return html``;
  return html`<h3>Parameters</h3><dl class="fields">${(operation.parameters as readonly JsonObject[]).map(
    (parameter) =>
      fieldHtml(document, {
        id: `${id}-${parameter.name as string}`,
        kind: `parameter of ${operation.summary as string}`,
        name: parameter.name as string,
        schema: parameter.schema,
        description: parameter.description,
        required: parameter.required === true && "required",
        place: parameter.in as string,
      }),
  )}</dl>`;
}

function bodyHtml(document: JsonObject, { id, operation }: PlacedOperation): Html {
  if (!operation.requestBody) return html``;
  const { content } = operation.requestBody as { content: { "application/json": JsonObject } };
  const schema = resolve(document, content["application/json"].schema);
  return html`<h3>Body</h3>${membersHtml(document, schema, id, `member of the body of ${operation.summary as string}`)}`;
}
