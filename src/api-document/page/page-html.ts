import type { JsonObject } from "../json.js";
import { foldHtml } from "./fold-html.js";
import { barHtml, contentsHtml, searchHtml } from "./frame-html.js";
import { type Html, html } from "./html.js";
import { markdown, sections } from "./markdown.js";
import { operationHtml } from "./operation/operation-html.js";
import { baseOf, operationsOf } from "./operation/placed-operation.js";
import { errorCodesHtml, headersHtml, schemasHtml } from "./reference-html.js";

/**
 * Makes the whole documentation page out of the API document.
 *
 * @param scripts the paths of its modules; the first is the one that runs.
 */
export function pageHtml(document: JsonObject, scripts: readonly string[]): string {
  const info = document.info as Record<string, string>;
  const [main, ...modules] = scripts;
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
</head>
<body>
${barHtml(info.title ?? "")}
<div class="layout">
${contentsHtml(document)}
<main id="main" tabindex="-1">
${introHtml(document, info)}
${operationsOf(document).map((placed) => operationHtml(document, placed))}
<section id="error-codes" aria-labelledby="error-codes-title">
  <h2 id="error-codes-title"><a href="#error-codes">Error codes</a></h2>
  <p>Every answer of 400 or above carries one of these as <code>code</code>.</p>
  ${errorCodesHtml(document)}
</section>
<section id="reference" aria-labelledby="reference-title">
  <h2 id="reference-title"><a href="#reference">Reference</a></h2>
  ${foldHtml("headers", "reference", "Headers of answers", headersHtml(document))}
  ${schemasHtml(document)}
</section>
<footer>Made from <a href="/openapi.json">the OpenAPI document</a> of this service; nothing on this page is loaded from elsewhere.</footer>
</main>
</div>
${searchHtml()}
${modules.map((path) => html`<link rel="modulepreload" href="${path}">`)}
<script type="module" src="${main}"></script>
</body>
</html>
`.text;
}

function introHtml(document: JsonObject, info: Record<string, string>): Html {
  const [first, ...rest] = sections(info.description, "##").rest;
  return html`<section class="intro">
  <h1>${info.title} API</h1>
  <p class="lead">${info.summary}</p>
  <div class="columns">
    <div class="about text first"><h2 id="${first?.id}">${first?.title}</h2>${markdown(first?.text)}</div>
    <aside class="side" aria-label="At a glance"><dl class="glance">
      <div><dt>Your API key</dt><dd>Enter it at the top, once: it fills the examples, and is kept in this tab only.</dd></div>
      <div><dt>Base address</dt><dd><code>${baseOf(document)}</code></dd></div>
      <div><dt>Version</dt><dd>${info.version}</dd></div>
      <div><dt>For tools</dt><dd><a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a></dd></div>
    </dl></aside>
    <div class="text">${rest.map(({ id, title, text }) => foldHtml(id, "guide", title, markdown(text)))}</div>
  </div>
</section>`;
}
