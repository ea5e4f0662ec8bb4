import { ERROR_CODES, type WireErrorCode } from "../../adapters/http/answer/error-codes.js";
import { ERROR_MEANINGS } from "../describe/error-meanings.js";
import { EXAMPLE_MESSAGES } from "../describe/error-responses.js";
import { HEADER_NAMES } from "../describe/header-refs.js";
import type { HeaderComponent } from "../describe/headers.js";
import type { JsonObject } from "../json.js";
import { foldHtml } from "./fold-html.js";
import { type Html, html } from "./html.js";
import { markdown } from "./markdown.js";
import { errorsOf, httpHtml, ownHeaders } from "./operation/answers-html.js";
import { operationsOf } from "./operation/placed-operation.js";
import { fieldHtml, membersHtml } from "./schema-html.js";
import { typeHtml } from "./type-html.js";

/** Every code: its meaning, its remedy, the whole answer, and the operations that give it. */
export function errorCodesHtml(document: JsonObject): Html {
  return html`${Object.entries(ERROR_CODES).map(
    ([code, { status, remedy }]) => html`
<details class="fold error" id="error-${code}" data-find="error code"><summary><span class="status s${String(status).slice(0, 1)}">${status}</span> <code>${code}</code> <span class="gist">${ERROR_MEANINGS[code as WireErrorCode]}</span></summary><div class="folded">
<p class="remedy"><b>What to do.</b> ${remedy}</p>
${exampleHtml(document, code, status)}</div></details>`,
  )}`;
}

function exampleHtml(document: JsonObject, code: string, status: number): Html {
  const message = (EXAMPLE_MESSAGES as Readonly<Record<string, string>>)[code];
  if (message === undefined) return html``;
  const operations = operationsOf(document).filter(({ operation }) =>
    errorsOf(operation).some(([, codes]) => codes.includes(code)),
  );
  const { responses } = (operations[0]?.operation ?? document["x-other-answers"]) as JsonObject;
  const response = (responses as Readonly<Record<number, JsonObject>>)[status] as JsonObject;
  return html`<pre class="http" tabindex="0" aria-label="The answer, whole">${httpHtml(document, String(status), ownHeaders(response), { code, message, status })}</pre>
${
  operations.length === 0
    ? ""
    : html`<p class="with">Given by ${operations.map(({ id, operation }, i) => html`${i ? ", " : ""}<a href="#${id}">${operation.summary as string}</a>`)}.</p>`
}`;
}

/** Every header that an answer can carry. */
export function headersHtml(document: JsonObject): Html {
  const { headers } = document.components as { headers: Record<HeaderComponent, JsonObject> };
  return html`<dl class="fields">${Object.entries(headers).map(([component, header]) =>
    fieldHtml(document, {
      id: `header-${component}`,
      kind: "header of answers",
      name: HEADER_NAMES[component as HeaderComponent],
      schema: header.schema,
      description: header.description,
      required: header.required === true && "always sent",
    }),
  )}</dl>`;
}

export function schemasHtml(document: JsonObject): Html {
  const { schemas } = document.components as { schemas: Record<string, JsonObject> };
  const shown = Object.entries(schemas).filter(([name]) => !["Limit", "Cursor"].includes(name));
  return html`${shown.map(([name, schema]) =>
    foldHtml(
      `schema-${name}`,
      "schema",
      name,
      html`<p class="shape">${typeHtml(document, schema)}</p>${markdown(schema.description)}${
        schema.properties ? membersHtml(document, schema, `schema-${name}`, `member of ${name}`) : ""
      }`,
    ),
  )}`;
}
