import { ERROR_CODES } from "../../adapters/http/answer/error-codes.js";
import type { JsonObject } from "../json.js";
import { Html, html } from "./html.js";
import { headings, markdown } from "./markdown.js";
import { labelsHtml, operationHtml } from "./operation-html.js";
import { membersHtml, shapeHtml } from "./schema-html.js";

interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

/** The documentation page, whole, from the API document. */
export function pageHtml(document: JsonObject): string {
  const info = document.info as Record<string, string>;
  const operations = operationsOf(document);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${info.summary}">
<title>${info.title} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/page.css">
<script type="module" src="/docs/page.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the documentation</a>
<header>
  <a class="brand" href="#main">${PAW} ${info.title}</a>
  <form class="key" id="key-form" autocomplete="off">
    <label for="key">API key</label>
    <input id="key" type="password" placeholder="Paste your API key" autocomplete="off" spellcheck="false" aria-describedby="key-note">
    <span id="key-note" class="visually-hidden">Kept in this tab only, and sent to this service only.</span>
  </form>
</header>
<div class="layout">
<nav aria-label="Contents">
  <details open>
  <summary>Contents</summary>
  <h2>Guide</h2>
  <ul>${headings(info.description).map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
  <h2>Operations</h2>
  <ul>${operations.map(
    ({ method, operation }) =>
      html`<li><a href="#${operation.operationId as string}"><span class="method">${method}</span> <span>${operation.summary as string}</span> ${labelsHtml(operation)}</a></li>`,
  )}</ul>
  <h2>Reference</h2>
  <ul>
    <li><a href="#schemas">Schemas</a></li>
    <li><a href="#error-codes">Error codes</a></li>
    <li><a href="/openapi.json">openapi.json</a></li>
    <li><a href="/openapi.yaml">openapi.yaml</a></li>
  </ul>
  </details>
</nav>
<main id="main" tabindex="-1">
<section class="intro">
  <h1>${info.title} API</h1>
  <p class="lead">${info.summary}</p>
  <div class="columns">
    <div class="text">${markdown(info.description)}</div>
    <aside class="side" aria-label="At a glance"><dl class="glance">
      <div><dt>Base address</dt><dd><code>${baseOf(document)}</code></dd></div>
      <div><dt>Version</dt><dd>${info.version}</dd></div>
      <div><dt>Credential</dt><dd>An API key, as a bearer token. Enter it above once: it is kept in this tab only.</dd></div>
      <div><dt>Media type</dt><dd><code>application/json</code></dd></div>
      <div><dt>For tools</dt><dd><a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a></dd></div>
    </dl></aside>
  </div>
</section>
${operations.map(({ method, path, operation }) => operationHtml(document, method, path, operation))}
<section id="schemas" aria-labelledby="schemas-title">
  <h2 id="schemas-title">Schemas</h2>
  ${schemasHtml(document)}
</section>
<section id="error-codes" aria-labelledby="error-codes-title">
  <h2 id="error-codes-title">Error codes</h2>
  <p>Every answer of 400 or above carries one of these as <code>code</code>.</p>
  ${errorCodesHtml()}
</section>
<footer>Made from <a href="/openapi.json">the OpenAPI document</a> of this service; nothing on this page is loaded from elsewhere.</footer>
</main>
</div>
</body>
</html>
`.text;
}

const PAW = new Html(
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><g fill="currentColor"><ellipse cx="6" cy="10.2" rx="2.1" ry="2.8"/><ellipse cx="10" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="14.6" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="18.6" cy="10.2" rx="2.1" ry="2.8"/><path d="M12.3 10.8c-3 0-6 3.3-6 6.2 0 1.9 1.3 3 3 3 1.2 0 2-.6 3-.6s1.8.6 3 .6c1.7 0 3-1.1 3-3 0-2.9-3-6.2-6-6.2z"/></g></svg>',
);

function baseOf(document: JsonObject): string {
  const [{ url = "" } = {}] = document.servers as readonly { url?: string }[];
  return url;
}

function operationsOf(document: JsonObject): PlacedOperation[] {
  return Object.entries(document.paths as JsonObject).flatMap(([path, item]) =>
    Object.entries(item as JsonObject).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: baseOf(document) + path,
      operation: operation as JsonObject,
    })),
  );
}

function schemasHtml(document: JsonObject): Html {
  const { schemas } = document.components as { schemas: Record<string, JsonObject> };
  const shown = Object.entries(schemas).filter(([name]) => !["Limit", "Cursor"].includes(name));
  return html`${shown.map(
    ([
      name,
      schema,
    ]) => html`<article id="schema-${name}"><h3>${name} <span class="shape">${shapeHtml(document, schema)}</span></h3>
${markdown(schema.description)}${schema.properties ? membersHtml(document, schema) : ""}</article>`,
  )}`;
}

function errorCodesHtml(): Html {
  return html`<div class="table" role="region" aria-label="Table of error codes" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">What to do</th></tr></thead>
<tbody>${Object.entries(ERROR_CODES).map(
    ([code, { status, remedy }]) =>
      html`<tr id="error-${code}"><td>${status}</td><th scope="row"><code>${code}</code></th><td>${remedy}</td></tr>`,
  )}</tbody></table></div>`;
}
