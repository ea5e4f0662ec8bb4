import type { Operation, Placed, Response } from "./document.js";
import { exampleHtml } from "./example.js";
import { fieldsHtml, membersOf, shape } from "./fields.js";
import { type Html, html, markdown } from "./html.js";

/** One operation: what it does, its fields and its answers, and beside them an example to try. */
export function operationHtml(placed: Placed, replacement: string | undefined): Html {
  const { method, path, operation } = placed;
  const { operationId: id, summary, description } = operation;
  const [lead = "", ...rest] = description.split("\n\n");
  return html`
<section class="operation columns" id="${id}" data-find="operation" aria-labelledby="${id}-title">
  <div class="about">
    <h2 id="${id}-title"><a href="#${id}">${summary}</a> ${labelsHtml(placed)}</h2>
    <p class="route"><span class="method">${method}</span> <code>${path}</code></p>
    ${noticeHtml(placed, replacement)}
    ${markdown(lead)}
  </div>
  <div class="side">${exampleHtml(placed)}</div>
  <div class="more">
    ${markdown(rest.join("\n\n"))}
    ${requestHtml(placed)}
    ${answersHtml(placed)}
  </div>
</section>`;
}

export function labelsHtml({ operation }: Placed): Html {
  if (operation.deprecated) return html`<span class="label deprecated">Deprecated</span>`;
  return html`${operation["x-stability"] === "beta" && html`<span class="label beta">Beta</span>`}`;
}

function noticeHtml({ operation }: Placed, replacement: string | undefined): Html {
  const date = operation["x-deprecated-sunset"];
  if (date === undefined) return html``;
  const words = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(new Date(date));
  return html`<p class="notice">To be removed on <time datetime="${date}">${words}</time>. Use <a href="#${operation["x-replaced-by"]}">${replacement}</a> with the <code>status</code> filter instead.</p>`;
}

function requestHtml({ operation }: Placed): Html {
  const { operationId: id, summary, parameters = [], requestBody } = operation;
  const fields = parameters.map((parameter) => ({
    ...parameter,
    id: `${id}-${parameter.name}`,
    kind: `parameter of ${summary}`,
    note: parameter.in,
  }));
  const body = requestBody?.content["application/json"].schema;
  return html`${fields.length > 0 && html`<h3>Parameters</h3>${fieldsHtml(fields)}`}
    ${body && html`<h3>Body</h3>${fieldsHtml(membersOf(body, id, `member of the body of ${summary}`))}`}`;
}

function answersHtml({ operation }: Placed): Html {
  return html`<h3>Answers</h3><dl class="rows answers">${Object.entries(operation.responses).map(
    ([status, response]) =>
      html`<div>${status.startsWith("2") ? successHtml(status, response) : errorHtml(status, response)}</div>`,
  )}</dl>${headersHtml(operation)}`;
}

function successHtml(status: string, { description, content }: Response): Html {
  const schema = content?.["application/json"].schema;
  const type = schema?.referred
    ? html`<a href="#schema-${schema.referred}">${schema.referred}</a>`
    : schema && shape(schema);
  return html`<dt class="status good">${status}</dt><dd>${description} <span class="note">${type}</span></dd>`;
}

/** An error, with a link to the codes that it can have. */
function errorHtml(status: string, { description }: Response): Html {
  const [place, name] = status === "default" ? ["errors", "others"] : [`errors-${status}`, status];
  return html`<dt><a class="status bad" href="#${place}">${name}</a></dt><dd>${markdown(description)}</dd>`;
}

/** The headers of the success. */
function headersHtml({ operationId: id, summary, responses }: Operation): Html {
  const headers = Object.values(responses).flatMap(({ headers = {} }, i) =>
    i === 0 ? Object.entries(headers) : [],
  );
  const fields = headers.map(([name, { schema, description }]) => ({
    id: `${id}-answer-${name}`,
    name,
    kind: `header of ${summary}`,
    schema,
    description,
  }));
  return html`${fields.length > 0 && html`<h3>Headers of the answer</h3>${fieldsHtml(fields)}`}`;
}
