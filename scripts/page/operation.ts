import { STATUS_CODES } from "node:http";
import { type Api, exactJson, type Field, type Operation } from "./api.js";
import { type Html, html, markdown, type Part } from "./html.js";
import { fieldsHtml, membersOf } from "./reference.js";

/** Renders an operation: its description, fields and responses, and a panel to try it. */
export function operationHtml(operation: Operation, api: Api): Html {
  const { operationId: id, method, path, summary, description, parameters = [] } = operation;
  const body = operation.requestBody?.content?.["application/json"];
  const responses = Object.entries(operation.responses).map(([name, { description, content }]) => {
    return { name, description, schema: content?.["application/json"]?.schema ?? {} };
  });
  const [success] = Object.values(operation.responses);
  const headers = Object.entries(success?.headers ?? {}).map(([name, { schema, description }]) => {
    return { name, schema, description };
  });
  const label = operation.deprecated ? "Deprecated" : operation["x-stability"] === "beta" && "Beta";
  const fieldsUnder = (title: string, prefix: string, fields: readonly Field[]) =>
    fields.length > 0 && html`<h3>${title}</h3>${fieldsHtml(prefix, fields)}`;
  return html`
<section class="operation" id="${id}">
<div>
  <h2><a href="#${id}">${summary}</a></h2>
  <p><b>${method}</b> <code>${path}</code> ${label && html`<small class="highlight">${label}</small>`}</p>
  ${noticeHtml(operation, api)}
  ${markdown(description)}
  ${fieldsUnder("Parameters", id, parameters)}
  ${fieldsUnder("Body", id, body ? membersOf(body.schema) : [])}
  ${fieldsUnder("Responses", id, responses)}
  ${fieldsUnder("Response headers", `${id}-response`, headers)}
</div>
${panelHtml(operation)}
</section>`;
}

function noticeHtml({ "x-deprecated-sunset": date, "x-replaced-by": id }: Operation, api: Api): Part {
  const words = date && new Date(date).toLocaleDateString("en-GB", { dateStyle: "long" });
  const link = html`<a href="#${id}">${api.operations.find(({ operationId }) => operationId === id)?.summary}</a>`;
  return date && html`<p class="highlight">May be removed from ${words}. Use ${link} instead.</p>`;
}

/** Renders the request as a curl command, the fields that change it, and the response. */
function panelHtml(operation: Operation): Html {
  const { operationId: id, method, path, summary, parameters = [] } = operation;
  const body = operation.requestBody?.content?.["application/json"];
  const json = body && exactJson(body.example);
  const [[status = "", success] = []] = Object.entries(operation.responses);
  // The script of the page replaces the command with that of the form.
  return html`<div class="panel" data-method="${method}" data-path="${path}">
<h3>Request</h3>
<pre class="curl"><code>curl -i -X ${method} 'http://127.0.0.1:3000${path}' \\
  -H "Authorization: Bearer $API_KEY"${json && ` \\\n  --json '${json}'`}</code></pre>
${
  !operation["x-hideTryItPanel"] &&
  html`<form class="needs-script" aria-label="Try: ${summary}" novalidate>
${parameters.map((parameter) => controlHtml(`${id}-try-${parameter.name}`, parameter))}
${body && html`<label for="${id}-try-body">Body</label><textarea id="${id}-try-body" rows="3" spellcheck="false">${json}</textarea>`}
<button>Send request</button>
</form>`
}
<div class="response">
  <p role="status"><b>${status} ${STATUS_CODES[status]}</b> <small class="note">Example</small></p>
  <pre><code>${success?.content && exactJson(success.content["application/json"]?.example, 2)}</code></pre>
</div>
</div>`;
}

function controlHtml(id: string, { name, in: location, required, schema, example }: Field): Html {
  const attributes = html`id="${id}" name="${name}" data-in="${location}"${required && " required"}`;
  const options = schema.enum?.map((value) => html`<option>${value}</option>`);
  const control = options
    ? html`<select ${attributes}><option value="">any</option>${options}</select>`
    : html`<input ${attributes} value="${example}" placeholder="${schema.default ?? schema.examples?.[0]}" autocomplete="off" spellcheck="false">`;
  return html`<label for="${id}"><code>${name}</code></label>${control}`;
}
