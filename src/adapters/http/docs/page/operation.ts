import { type Html, html } from "../browser/html.js";
import { bodyOf, type Operation, type Response, successOf } from "./document.js";
import { exampleHtml } from "./example.js";
import { type Field, fieldsHtml, membersOf, shape } from "./fields.js";
import { markdown } from "./markdown.js";

/** One operation: what it does, its fields and its answers, and beside them an example to try. */
export function operationHtml(operation: Operation, all: readonly Operation[]): Html {
  const { operationId: id, method, path, summary, description, requestBody, responses } = operation;
  const [lead = "", ...rest] = description.split("\n\n");
  return html`
<section class="operation columns" id="${id}" data-find="operation" aria-labelledby="${id}-title">
  <div class="about">
    <h2 id="${id}-title"><a href="#${id}">${summary}</a> ${labelHtml(operation)}</h2>
    <p class="route"><span class="method">${method}</span> <code>${path}</code></p>
    ${noticeHtml(operation, all)}
    ${markdown(lead)}
  </div>
  <div class="side">${exampleHtml(operation)}</div>
  <div class="more">
    ${markdown(rest.join("\n\n"))}
    ${fieldsHtml("Parameters", parametersOf(operation))}
    ${fieldsHtml("Body", membersOf(bodyOf(requestBody)?.schema, id, `member of the body of ${summary}`))}
    <h3>Answers</h3>
    <dl class="rows answers">${Object.entries(responses).map(([status, response]) => answerHtml(status, response))}</dl>
    ${fieldsHtml("Headers of the answer", headersOf(operation))}
  </div>
</section>`;
}

export function labelHtml(operation: Operation): Html | false {
  if (operation.deprecated) return html`<span class="label deprecated">Deprecated</span>`;
  return operation["x-stability"] === "beta" && html`<span class="label beta">Beta</span>`;
}

function noticeHtml(operation: Operation, all: readonly Operation[]): Html | undefined {
  const { "x-deprecated-sunset": date, "x-replaced-by": replacement } = operation;
  if (date === undefined) return undefined;
  const words = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(new Date(date));
  const summary = all.find(({ operationId }) => operationId === replacement)?.summary;
  return html`<p class="notice">To be removed on <time datetime="${date}">${words}</time>. Use <a href="#${replacement}">${summary}</a> with the <code>status</code> filter instead.</p>`;
}

function parametersOf({ operationId: id, summary, parameters = [] }: Operation): Field[] {
  return parameters.map((parameter) => ({
    ...parameter,
    id: `${id}-${parameter.name}`,
    kind: `parameter of ${summary}`,
    note: parameter.in,
  }));
}

function headersOf(operation: Operation): Field[] {
  const { operationId: id, summary } = operation;
  const [, { headers = {} }] = successOf(operation);
  return Object.entries(headers).map(([name, { schema, description }]) => {
    return { id: `${id}-answer-${name}`, name, kind: `header of ${summary}`, schema, description };
  });
}

/** A success with its shape, or an error with a link to the codes that it can have. */
function answerHtml(status: string, response: Response): Html {
  const { description } = response;
  if (/^[123]/.test(status)) {
    const body = bodyOf(response);
    return html`<div><dt class="status good">${status}</dt><dd>${description} <span class="note">${body && shape(body.schema)}</span></dd></div>`;
  }
  const place = /^\d+$/.test(status) ? `errors-${status}` : "errors";
  const name = status === "default" ? "others" : status;
  return html`<div><dt><a class="status bad" href="#${place}">${name}</a></dt><dd>${markdown(description)}</dd></div>`;
}
