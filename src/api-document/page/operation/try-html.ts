import type { JsonObject } from "../../json.js";
import { type Html, html } from "../html.js";
import { resolve } from "../type-html.js";
import { exampleBody, PRESETS } from "./example-request.js";
import type { PlacedOperation } from "./placed-operation.js";

/**
 * The fields of an operation, and the button that sends the request; none if the document hides the panel.
 */
export function tryHtml(document: JsonObject, { id, operation }: PlacedOperation): Html {
  if (operation["x-hideTryItPanel"]) return html``;
  const parameters = (operation.parameters ?? []) as readonly JsonObject[];
  return html`<form class="try needs-script" aria-label="Try ${id}" novalidate>
  ${parameters.map((parameter) => fieldHtml(document, id, parameter))}
  ${bodyHtml(id, operation)}
  <div class="actions"><button type="submit">Send request</button></div>
</form>`;
}

function fieldHtml(document: JsonObject, id: string, parameter: JsonObject): Html {
  const name = parameter.name as string;
  const schema = resolve(document, parameter.schema);
  const field = `try-${id}-${name}`;
  const place = html`id="${field}" data-in="${parameter.in as string}" data-name="${name}"`;
  const control = Array.isArray(schema.enum)
    ? html`<select ${place}><option value="">any</option>${schema.enum.map((value) => html`<option>${value}</option>`)}</select>`
    : html`<input ${place} value="${PRESETS[name] ?? ""}" autocomplete="off" spellcheck="false">`;
  const offer =
    name === "Idempotency-Key" ? html`<button type="button" class="quiet make-key">Make one</button>` : "";
  return html`<p class="field"><label for="${field}"><code>${name}</code></label>${control}${offer}</p>`;
}

function bodyHtml(id: string, operation: JsonObject): Html {
  const body = exampleBody(operation);
  if (body === undefined) return html``;
  return html`<p class="field body"><label for="try-${id}-body">Body</label><textarea id="try-${id}-body" rows="3" spellcheck="false">${body}</textarea></p>`;
}
