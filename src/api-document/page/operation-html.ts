import { jsonTokens } from "../browser/json-tokens.js";
import { HEADER_NAMES, ON_EVERY_ANSWER } from "../describe-headers.js";
import { exactJson, type Json, type JsonObject } from "../json.js";
import { type Html, html } from "./html.js";
import { markdown } from "./markdown.js";
import { panelHtml } from "./panel-html.js";
import { fieldHtml, membersHtml, resolve } from "./schema-html.js";

/** One operation: what it does, what it takes, what it answers, and a panel to try it in. */
export function operationHtml(
  document: JsonObject,
  method: string,
  path: string,
  operation: JsonObject,
): Html {
  const id = operation.operationId as string;
  return html`
<section class="operation" id="${id}" aria-labelledby="${id}-title">
  <h2 id="${id}-title">${operation.summary as string} ${labelsHtml(operation)}</h2>
  <p class="route"><span class="method">${method}</span> <code>${path}</code> <span class="id">${id}</span></p>
  ${noticeHtml(document, operation)}
  <div class="columns">
    <div class="about text">${markdown(operation.description)}</div>
    <div class="side">${panelHtml(document, id, method, path, operation)}</div>
    <div class="text">
      ${parametersHtml(document, operation)}
      ${bodyHtml(document, operation)}
      <h3>Answers</h3>
      ${Object.entries(operation.responses as JsonObject).map(([status, response]) =>
        responseHtml(document, status, response as JsonObject),
      )}
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

function parametersHtml(document: JsonObject, { parameters }: JsonObject): Html {
  if (!parameters) return html``;
  return html`<h3>Parameters</h3><dl class="fields">${(parameters as readonly JsonObject[]).map((parameter) =>
    fieldHtml(
      document,
      parameter.name as string,
      parameter.schema,
      parameter.description,
      parameter.required === true && "required",
      parameter.in as string,
    ),
  )}</dl>`;
}

function bodyHtml(document: JsonObject, { requestBody }: JsonObject): Html {
  if (!requestBody) return html``;
  const { content } = requestBody as { content: { "application/json": JsonObject } };
  return html`<h3>Body</h3>${membersHtml(document, resolve(document, content["application/json"].schema))}`;
}

/** Headers that the guide tells of, once for all answers. */
const COMMON = new Set(ON_EVERY_ANSWER.map((name) => HEADER_NAMES[name]));

function responseHtml(document: JsonObject, status: string, response: JsonObject): Html {
  const headers = Object.entries((response.headers ?? {}) as JsonObject).filter(
    ([name]) => !COMMON.has(name),
  );
  const content = (response.content as JsonObject | undefined)?.["application/json"] as
    | JsonObject
    | undefined;
  const examples = Object.values((content?.examples ?? {}) as JsonObject) as { value: Json }[];
  const codes = status < "400" ? [] : Object.keys((content?.examples ?? {}) as JsonObject);
  return html`
<details class="response">
  <summary><span class="status s${status.slice(0, 1)}">${status}</span> <span class="gist">${
    codes.length > 0
      ? codes.map((code, i) => html`${i ? ", " : ""}<code>${code}</code>`)
      : (response.description as string)
  }</span></summary>
  ${codes.length > 0 ? markdown(response.description) : ""}
  ${
    headers.length === 0
      ? ""
      : html`<h4>Headers</h4><dl class="fields">${headers.map(([name, header]) => {
          const { schema, description, required } = resolve(document, header);
          return fieldHtml(document, name, schema, description, required === true && "always sent");
        })}</dl>`
  }
  ${examples.slice(0, 1).map(({ value }) => html`<h4>Example</h4>${jsonHtml(value)}`)}
</details>`;
}

/** JSON laid out and coloured. */
function jsonHtml(value: Json): Html {
  const tokens = jsonTokens(exactJson(value));
  return html`<pre class="json" tabindex="0"><code>${tokens.map(({ kind, text }) =>
    kind === "mark" ? text : html`<span class="${kind}">${text}</span>`,
  )}</code></pre>`;
}
