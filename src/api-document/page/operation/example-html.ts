import { LANGUAGES, type Language, sampleOf } from "../../browser/text/code-samples.js";
import { codeTokens } from "../../browser/text/code-tokens.js";
import type { JsonObject } from "../../json.js";
import { type Html, html } from "../html.js";
import { tokensHtml } from "../tokens-html.js";
import { errorsOf, exampleLines, ownHeaders, successExampleHtml, successOf } from "./answers-html.js";
import { requestOf } from "./example-request.js";
import type { PlacedOperation } from "./placed-operation.js";
import { tryHtml } from "./try-html.js";

/** The part beside an operation: a request that works, the fields that change it, and its answer. */
export function exampleHtml(document: JsonObject, placed: PlacedOperation): Html {
  const { id, method, path } = placed;
  return html`
<div class="example" data-operation="${id}" data-method="${method}" data-path="${path}">
${sampleHtml(placed)}
${tryHtml(document, placed)}
${answersHtml(document, placed)}
</div>`;
}

function sampleHtml(placed: PlacedOperation): Html {
  const { id } = placed;
  const request = requestOf(placed);
  const code = (language: Language) => tokensHtml(codeTokens(sampleOf(language, request, ""), ""));
  const names = Object.entries(LANGUAGES) as [Language, string][];
  return html`<div class="sample">
  <div class="bar needs-script"><div class="tabs" role="tablist" aria-label="Language">${names.map(
    ([language, name], i) =>
      html`<button type="button" role="tab" id="tab-${id}-${language}" data-language="${language}" aria-controls="sample-${id}" aria-selected="${i === 0 ? "true" : "false"}" tabindex="${i === 0 ? 0 : -1}">${name}</button>`,
  )}</div><button type="button" class="copy">Copy</button></div>
  <pre id="sample-${id}" role="tabpanel" aria-labelledby="tab-${id}-curl" tabindex="0">${code("curl")}</pre>
  <noscript>${names
    .slice(1)
    .map(
      ([language, name]) => html`<details><summary>${name}</summary><pre>${code(language)}</pre></details>`,
    )}</noscript>
</div>`;
}

function answersHtml(document: JsonObject, placed: PlacedOperation): Html {
  const { id, operation } = placed;
  const [status] = successOf(operation);
  const errors = errorsOf(operation);
  const [, response] = Object.entries(operation.responses as JsonObject)[1] ?? [];
  const own = ownHeaders((response ?? {}) as JsonObject);
  const lines = exampleLines(document, own).map(([name, value]) => `\n${name}: ${value}`);
  return html`<div class="answer" data-headers="${lines.join("")}">
  <p class="bar"><label for="answers-${id}">Answer</label> <select id="answers-${id}" class="needs-script"><option value="">${status}</option>${errors.flatMap(
    ([error, codes]) => codes.map((code) => html`<option value="${code}">${error} ${code}</option>`),
  )}</select></p>
  <div class="live" role="status"></div>
  <pre class="http" tabindex="0" aria-label="The answer, whole">${successExampleHtml(document, placed)}</pre>
</div>`;
}
