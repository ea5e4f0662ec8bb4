import { type Api, bodyOf, type Field, type Message, type Operation, successOf } from "./api.js";
import { type Html, html, markdown } from "./html.js";
import { panelHtml } from "./panel.js";
import { fieldsHtml, membersOf, typeHtml } from "./reference.js";

/** An operation: what it does, its fields and responses, and a panel to try it. */
export function operationHtml(operation: Operation, { operations }: Api): Html {
  const { operationId: id, method, path, summary, description, parameters = [] } = operation;
  const [lead = "", ...details] = description.split("\n\n");
  const body = bodyOf(operation.requestBody);
  const [, { headers = {} } = {}] = successOf(operation);
  return html`
<section class="operation" id="${id}" aria-labelledby="${id}-title">
<div>
  <h2 id="${id}-title"><a href="#${id}">${summary}</a> ${labelHtml(operation)}</h2>
  <p><b>${method}</b> <code>${path}</code></p>
  ${noticeHtml(operation, operations)}
  ${markdown(lead)}
</div>
${panelHtml(operation)}
<div>
  ${markdown(details.join("\n\n"))}
  ${fieldSection("Parameters", id, parameters)}
  ${body && fieldSection("Body", id, membersOf(body.schema))}
  <h3>Responses</h3>
  <dl>${Object.entries(operation.responses).map(([status, response]) => responseHtml(status, response))}</dl>
  ${fieldSection(
    "Response headers",
    `${id}-response`,
    Object.entries(headers).map(([name, { schema, description }]) => ({ name, schema, description })),
  )}
</div>
</section>`;
}

export function labelHtml({ deprecated, "x-stability": stability }: Operation): Html | false {
  if (deprecated) return html`<span class="label">Deprecated</span>`;
  return stability === "beta" && html`<span class="label">Beta</span>`;
}

function noticeHtml(operation: Operation, all: readonly Operation[]): Html | undefined {
  const { "x-deprecated-sunset": date, "x-replaced-by": replacement } = operation;
  if (date === undefined) return undefined;
  const words = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(new Date(date));
  const summary = all.find(({ operationId }) => operationId === replacement)?.summary;
  const link = html`<a href="#${replacement}">${summary}</a>`;
  return html`<p class="notice">May be removed from <time datetime="${date}">${words}</time>. Use ${link} instead.</p>`;
}

function fieldSection(title: string, prefix: string, fields: readonly Field[]): Html | false {
  return fields.length > 0 && html`<h3>${title}</h3>${fieldsHtml(prefix, fields)}`;
}

/** A success with the type of its body, or an error with a link to its codes. */
function responseHtml(status: string, response: Message): Html {
  const body = bodyOf(response);
  const isSuccess = status.startsWith("2");
  const codes = status === "default" ? "errors" : `errors-${status}`;
  const term = isSuccess
    ? html`<b>${status}</b>`
    : html`<a href="#${codes}"><b class="bad">${status}</b></a>`;
  const note = isSuccess && body && html`<span class="note">${typeHtml(body.schema)}</span>`;
  return html`<div><dt>${term} ${note}</dt><dd>${markdown(response.description)}</dd></div>`;
}
