import { Html, html } from "../browser/html.js";
import { readDocument } from "./document.js";
import { markdown } from "./markdown.js";
import { labelHtml, operationHtml } from "./operation.js";
import { errorsHtml, schemasHtml } from "./reference.js";

const PAW = new Html(
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" fill="currentColor"><ellipse cx="6" cy="10.2" rx="2.1" ry="2.8"/><ellipse cx="10" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="14.6" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="18.6" cy="10.2" rx="2.1" ry="2.8"/><path d="M12.3 10.8c-3 0-6 3.3-6 6.2 0 1.9 1.3 3 3 3 1.2 0 2-.6 3-.6s1.8.6 3 .6c1.7 0 3-1.1 3-3 0-2.9-3-6.2-6-6.2z"/></svg>',
);

/**
 * Makes the whole documentation page out of the API document and the guide.
 *
 * @param scripts the names of its modules, one of which is `page.js`.
 */
export function pageHtml(openApi: unknown, guide: string, scripts: readonly string[]): string {
  const { info, base, operations, schemas } = readDocument(openApi);
  const sections = sectionsOf(guide);
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
<a class="skip" href="#main">Skip to the documentation</a>
<header>
  <a class="brand" href="#main" aria-label="${info.title}">${PAW} <span>${info.title}</span></a>
  <form class="needs-script" id="search-form" role="search" method="dialog">
    <input id="search" aria-label="Search" type="search" list="places" placeholder="Search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
    <datalist id="places"></datalist>
  </form>
  <form class="needs-script" method="dialog">
    <input id="key" aria-label="API key" type="password" placeholder="API key" autocomplete="off" spellcheck="false" aria-describedby="key-note">
  </form>
</header>
<div class="layout">
<nav aria-label="Contents">
  <h2>Operations</h2>
  <ul>${operations.map(
    (operation) =>
      html`<li><a href="#${operation.operationId}"><span class="method">${operation.method}</span> <span>${operation.summary}</span> ${labelHtml(operation)}</a></li>`,
  )}</ul>
  <h2>Reference</h2>
  <ul><li><a href="#errors">Error codes</a></li><li><a href="#schemas">Schemas</a></li></ul>
  <h2>Guide</h2>
  <ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
</nav>
<main id="main" tabindex="-1">
<section>
  <h1>${info.title} API</h1>
  <p>${info.summary}</p>
  <p>Version ${info.version}, under <code>${base}</code>. For tools: <a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a>.</p>
  <p class="needs-script" id="key-note">Enter your API key at the top, once: it stays in this tab, and is sent to this service only. The examples read theirs from the variable <code>API_KEY</code>. The search finds every name on this page.</p>
</section>
${operations.map((operation) => operationHtml(operation, operations))}
${errorsHtml(schemas)}
${schemasHtml(schemas)}
<section id="guide" data-find="section" aria-labelledby="guide-title">
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
