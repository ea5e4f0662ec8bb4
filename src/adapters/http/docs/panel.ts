import { STATUS_CODES } from "node:http";
import { bodyOf, type Field, type Operation, successOf } from "./api.js";
import { curlCommand } from "./browser/curl.js";
import { indentJson } from "./browser/json.js";
import { type Html, html } from "./html.js";

/** The panel of an operation: its request as a curl command, the fields that change it, and the response. */
export function panelHtml(operation: Operation): Html {
  const { method, path, summary } = operation;
  const [status, response] = exampleResponse(operation);
  return html`<div class="panel" data-method="${method}" data-path="${path}">
<h3>Request</h3>
<pre class="curl"><code>${exampleCurl(operation)}</code></pre>
${
  !operation["x-hideTryItPanel"] &&
  html`<form class="needs-script" aria-label="Try: ${summary}">
${fieldsOf(operation)}
<button>Send request</button>
</form>`
}
<div class="response">
  <p role="status"><b>${status}</b> <span class="note">Example</span></p>
  <pre><code>${response}</code></pre>
</div>
</div>`;
}

/** For readers without scripts. */
function exampleCurl({ method, path, parameters = [], requestBody }: Operation): string {
  const body = bodyOf(requestBody);
  const filled = parameters.reduce(
    (text, { name, example }) => text.replace(`{${name}}`, `${example}`),
    path,
  );
  const headers: Record<string, string> = body ? { "Content-Type": body.type } : {};
  return curlCommand({ method, url: `http://127.0.0.1:3000${filled}`, headers, body: body?.json });
}

function exampleResponse(operation: Operation): [status: string, headersAndBody: string] {
  const [status, response] = successOf(operation);
  const body = bodyOf(response);
  // Only the response to a retried create has Idempotency-Replayed.
  const headers = Object.entries(response?.headers ?? {}).filter(([name]) => name !== "Idempotency-Replayed");
  const lines = headers.map(([name, { example }]) => `${name}: ${example}`);
  if (body) lines.unshift(`Content-Type: ${body.type}`);
  return [
    `${status} ${STATUS_CODES[status] ?? ""}`,
    `${lines.join("\n")}${body ? `\n\n${indentJson(body.json)}` : ""}`,
  ];
}

/** A label and a control for each parameter and the body. */
function fieldsOf({ operationId, parameters = [], requestBody }: Operation): Html[] {
  const fields = parameters.map((parameter) => fieldHtml(`${operationId}-try-${parameter.name}`, parameter));
  const body = bodyOf(requestBody);
  if (!body) return fields;
  const id = `${operationId}-try-body`;
  const area = html`<textarea id="${id}" data-type="${body.type}" rows="3" spellcheck="false">${body.json}</textarea>`;
  return [...fields, html`<label for="${id}">Body</label>${area}`];
}

function fieldHtml(id: string, { name, in: location, schema, example }: Field): Html {
  const attributes = html`id="${id}" name="${name}" data-in="${location}"`;
  const label = html`<label for="${id}"><code>${name}</code></label>`;
  if (schema.enum) {
    const options = schema.enum.map((value) => html`<option>${value}</option>`);
    return html`${label}<select ${attributes}><option value="">any</option>${options}</select>`;
  }
  const texts = html`value="${example ?? ""}" placeholder="${schema.default ?? schema.examples?.[0] ?? ""}"`;
  return html`${label}<input ${attributes} ${texts} autocomplete="off" spellcheck="false">`;
}
