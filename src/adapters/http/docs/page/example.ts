import { STATUS_CODES } from "node:http";
import { codeHtml, type Html, html } from "../browser/html.js";
import { LANGUAGES, sampleOf } from "../browser/samples.js";
import { bodyOf, type Operation, type Parameter, successOf } from "./document.js";

/** What the field of a parameter has at first: its example, and a limit at which a few items fill two pages. */
const presetOf = ({ name, example = "" }: Parameter) => (name === "limit" ? "2" : String(example));

/** The part beside an operation: a request that works, the fields that change it, and the answer. */
export function exampleHtml(operation: Operation): Html {
  const { method, path, operationId: id } = operation;
  const languages = Object.entries(LANGUAGES).map(
    ([value, name]) => html`<option value="${value}">${name}</option>`,
  );
  return html`<div class="example" data-operation="${id}" data-method="${method}" data-path="${path}">
<div class="sample">
  <div class="bar needs-script"><select class="language" aria-label="Language">${languages}</select><button type="button" class="copy">Copy</button></div>
  <pre tabindex="0" aria-label="The request">${codeHtml(curlOf(operation))}</pre>
</div>
${!operation["x-hideTryItPanel"] && tryHtml(operation)}
<div class="answer" data-state="example">
  <div class="live" role="status"><p>An example of the answer</p></div>
  <pre tabindex="0" aria-label="The answer, whole">${codeHtml(answerOf(operation))}</pre>
</div>
</div>`;
}

/** The request with the values that the fields have at first, for readers without scripts. */
function curlOf(operation: Operation): string {
  const { method, path, parameters = [], requestBody } = operation;
  const body = bodyOf(requestBody);
  const query = parameters.some(({ name }) => name === "limit") ? "?limit=2" : "";
  const filled = parameters.reduce((text, one) => text.replace(`{${one.name}}`, presetOf(one)), path);
  const url = `http://127.0.0.1:3000${filled}${query}`;
  const headers: Record<string, string> = body ? { "Content-Type": body.type } : {};
  return sampleOf("curl", { method, url, headers, body: body && oneLine(body.text) });
}

/** The example of the success: status, headers and body. */
function answerOf(operation: Operation): string {
  const [status, { headers = {}, ...response }] = successOf(operation);
  // Only the answer to a repeated create has the other header.
  const lines = Object.entries(headers).filter(([name]) => name !== "Idempotency-Replayed");
  const body = bodyOf(response);
  return [
    `${status} ${STATUS_CODES[status] ?? ""}`,
    ...(body ? [`Content-Type: ${body.type}`] : []),
    ...lines.map(([name, { example }]) => `${name}: ${example}`),
    ...(body ? [`\n${body.text}`] : []),
  ].join("\n");
}

/** The fields of an operation, and the button that sends the request. */
function tryHtml(operation: Operation): Html {
  const { operationId: id, parameters = [], requestBody } = operation;
  const body = bodyOf(requestBody);
  return html`<form class="try needs-script" id="try-${id}" aria-label="Try ${id}" method="dialog" novalidate>
  ${parameters.map((parameter) => fieldHtml(id, parameter))}
  ${body && html`<p class="field"><label for="try-${id}-body">Body</label><textarea id="try-${id}-body" data-type="${body.type}" rows="3" spellcheck="false">${oneLine(body.text)}</textarea></p>`}
  <button>Send request</button>
</form>`;
}

function fieldHtml(id: string, parameter: Parameter): Html {
  const { name, in: place, schema } = parameter;
  const field = html`id="try-${id}-${name}" name="${name}" data-in="${place}"`;
  const control = schema.enum
    ? html`<select ${field}><option value="">any</option>${schema.enum.map((value) => html`<option>${value}</option>`)}</select>`
    : html`<input ${field} value="${presetOf(parameter)}" placeholder="${schema.examples?.[0]}" autocomplete="off" spellcheck="false">`;
  return html`<p class="field"><label for="try-${id}-${name}"><code>${name}</code></label>${control}</p>`;
}

/** An example on one line. */
function oneLine(text: string): string {
  return text.replace(/\n */g, " ");
}
