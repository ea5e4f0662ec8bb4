import { exactJson, type JsonObject } from "../json.js";
import { type Html, html } from "./html.js";
import { resolve } from "./schema-html.js";

/** The test panel of an operation: a field for each parameter, the body, and where the answer is shown. */
export function panelHtml(
  document: JsonObject,
  id: string,
  method: string,
  path: string,
  operation: JsonObject,
): Html {
  if (operation["x-hideTryItPanel"]) return html``;
  const parameters = (operation.parameters ?? []) as readonly JsonObject[];
  return html`
<form class="panel" data-operation="${id}" data-method="${method}" data-path="${path}" aria-label="Try ${id}" novalidate>
  <h3>Try it</h3>
  ${parameters.map((parameter) => inputHtml(document, id, parameter))}
  ${bodyHtml(document, id, operation)}
  <div class="actions">
    <button type="submit">Send request</button>
    <button type="button" class="quiet next" hidden>Next page</button>
  </div>
  <details class="curl"><summary>The same in curl</summary><pre tabindex="0"><code></code></pre></details>
  <div class="answer" role="status"></div>
</form>`;
}

function inputHtml(document: JsonObject, id: string, parameter: JsonObject): Html {
  const name = parameter.name as string;
  const schema = resolve(document, parameter.schema);
  const examples = (schema.examples ?? []) as readonly string[];
  const field = `${id}-${name}`;
  const control = Array.isArray(schema.enum)
    ? html`<select id="${field}" data-in="${parameter.in as string}" data-name="${name}"><option value="">any</option>${schema.enum.map((value) => html`<option>${value}</option>`)}</select>`
    : html`<input id="${field}" data-in="${parameter.in as string}" data-name="${name}" autocomplete="off" spellcheck="false" placeholder="${schema.default !== undefined ? `${schema.default}` : String(examples[0] ?? "")}">`;
  return html`<p class="field"><label for="${field}"><code>${name}</code>${parameter.required ? " (required)" : ""}</label>${control}</p>`;
}

function bodyHtml(document: JsonObject, id: string, operation: JsonObject): Html {
  if (!operation.requestBody) return html``;
  const content = resolve(document, operation.requestBody).content as JsonObject;
  const examples = (content["application/json"] as JsonObject).examples as JsonObject;
  const example = (examples.everything as JsonObject).value ?? {};
  return html`<p class="field"><label for="${id}-body">Body</label><textarea id="${id}-body" rows="5" spellcheck="false">${exactJson(example)}</textarea></p>`;
}
