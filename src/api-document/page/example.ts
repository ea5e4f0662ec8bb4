import { STATUS_CODES } from "node:http";
import { codeHtml, type Html, html } from "../browser/html.js";
import { LANGUAGES, sampleOf } from "../browser/samples.js";
import { exactJson } from "../exact-json.js";
import type { Operation, Parameter, Response } from "./document.js";

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
  <div class="bar needs-script"><select class="language" aria-label="Language">${languages}</select><button type="button" class="quiet copy">Copy</button></div>
  <pre tabindex="0" aria-label="The request">${codeHtml(curlOf(operation))}</pre>
</div>
${!operation["x-hideTryItPanel"] && tryHtml(operation)}
<div class="answer">
  <div class="live" role="status"></div>
  <pre tabindex="0" aria-label="The answer, whole">${codeHtml(answerOf(operation))}</pre>
</div>
</div>`;
}

/** The request with the values that the fields have at first, for readers without scripts. */
function curlOf(operation: Operation): string {
  const { method, path, parameters = [] } = operation;
  const body = bodyOf(operation);
  const query = parameters.some(({ name }) => name === "limit") ? "?limit=2" : "";
  const filled = parameters.reduce((text, one) => text.replace(`{${one.name}}`, presetOf(one)), path);
  const url = `http://127.0.0.1:3000${filled}${query}`;
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  return sampleOf("curl", { method, url, headers, body }, "");
}

/** The example of the success, which is the first answer: status, headers and body. */
function answerOf({ responses }: Operation): string {
  const [[status, { headers = {}, content }]] = Object.entries(responses) as [[string, Response]];
  // Only the answer to a repeated create has the other header.
  const lines = Object.entries(headers).filter(([name]) => name !== "Idempotency-Replayed");
  const json = content?.["application/json"];
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...(json ? ["Content-Type: application/json"] : []),
    ...lines.map(([name, { example }]) => `${name}: ${example}`),
    ...(json ? [`\n${exactJson(json.example)}`] : []),
  ].join("\n");
}

/** The fields of an operation, and the button that sends the request. */
function tryHtml(operation: Operation): Html {
  const { operationId: id, parameters = [] } = operation;
  const body = bodyOf(operation);
  return html`<form class="try needs-script" id="try-${id}" aria-label="Try ${id}" method="dialog" novalidate>
  ${parameters.map((parameter) => fieldHtml(id, parameter))}
  ${body && html`<p class="field"><label for="try-${id}-body">Body</label><textarea id="try-${id}-body" rows="3" spellcheck="false">${body}</textarea></p>`}
  <button>Send request</button>
</form>`;
}

function fieldHtml(id: string, parameter: Parameter): Html {
  const { name, in: place, schema } = parameter;
  const field = html`id="try-${id}-${name}" name="${name}" data-in="${place}"`;
  const control = schema.enum
    ? html`<select ${field}><option value="">any</option>${schema.enum.map((value) => html`<option>${value}</option>`)}</select>`
    : html`<input ${field} value="${presetOf(parameter)}" autocomplete="off" spellcheck="false">`;
  const offer =
    name === "Idempotency-Key" && html`<button type="button" class="quiet make-key">Make one</button>`;
  return html`<p class="field"><label for="try-${id}-${name}"><code>${name}</code></label>${control}${offer}</p>`;
}

/** The example of the body on one line. */
function bodyOf({ requestBody }: Operation): string | undefined {
  return requestBody && exactJson(requestBody.content["application/json"].example).replace(/\n */g, " ");
}
