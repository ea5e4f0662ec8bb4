import { type ApiDocument, operationsOf, resolved } from "./document.js";
import { barHtml, introHtml } from "./frame.js";
import { html, markdown } from "./html.js";
import { labelsHtml, operationHtml } from "./operation.js";
import { errorsHtml, schemasHtml } from "./reference.js";

/**
 * Makes the whole documentation page out of the API document and the guide.
 *
 * @param scripts the names of its modules, one of which is `page.js`.
 */
export function pageHtml(openApi: unknown, guide: string, scripts: readonly string[]): string {
  const document = resolved(openApi) as ApiDocument;
  const operations = operationsOf(document);
  const { info } = document;
  const sections = sectionsOf(guide);
  const summaryOf = (id: string | undefined) =>
    operations.find(({ operation }) => operation.operationId === id)?.operation.summary;
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
${scripts.map((name) => html`<link rel="modulepreload" href="/docs/${name}">`)}
</head>
<body>
${barHtml(info.title)}
<div class="layout">
<nav aria-label="Contents">
  <h2>Operations</h2>
  <ul>${operations.map(
    (placed) =>
      html`<li><a href="#${placed.operation.operationId}"><span class="method">${placed.method}</span> <span>${placed.operation.summary}</span> ${labelsHtml(placed)}</a></li>`,
  )}</ul>
  <h2>Reference</h2>
  <ul><li><a href="#errors">Error codes</a></li><li><a href="#schemas">Schemas</a></li></ul>
  <h2>Guide</h2>
  <ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
</nav>
<main id="main" tabindex="-1">
${introHtml(document)}
${operations.map((placed) => operationHtml(placed, summaryOf(placed.operation["x-replaced-by"])))}
${errorsHtml(document)}
${schemasHtml(document)}
<section id="guide" aria-labelledby="guide-title">
  <h2 id="guide-title"><a href="#guide">Guide</a></h2>
  <div class="guide">${sections.map(({ id, title, text }) => html`<div id="${id}" data-find="guide"><h3><a href="#${id}">${title}</a></h3>${markdown(text)}</div>`)}</div>
</section>
<footer>Made from <a href="/openapi.json">the OpenAPI document</a> of this service; nothing on this page is loaded from elsewhere.</footer>
</main>
</div>
<script type="module" src="/docs/page.js"></script>
</body>
</html>
`.text;
}

/** The parts of a text under its headings. */
function sectionsOf(text: string): { id: string; title: string; text: string }[] {
  const [, ...parts] = text.split(/^## /m);
  return parts.map((part) => {
    const [title = "", ...lines] = part.split("\n");
    return { id: `guide-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`, title, text: lines.join("\n") };
  });
}
