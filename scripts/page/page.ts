import type { Api } from "./api.js";
import { html, markdown, partHtml } from "./html.js";
import { operationHtml } from "./operation.js";
import { errorCodesHtml, schemasHtml } from "./reference.js";

/** Renders the documentation page. Its addresses are relative to /docs, which a proxy may serve under a path prefix. */
export function pageHtml(api: Api, guide: string): string {
  const { info, operations } = api;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/page.css">
<script type="module" src="docs/page.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the documentation</a>
<header>
  <a href="#main" aria-label="${info.title}"><svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" fill="currentColor"><ellipse cx="6" cy="10.2" rx="2.1" ry="2.8"/><ellipse cx="10" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="14.6" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="18.6" cy="10.2" rx="2.1" ry="2.8"/><path d="M12.3 10.8c-3 0-6 3.3-6 6.2 0 1.9 1.3 3 3 3 1.2 0 2-.6 3-.6s1.8.6 3 .6c1.7 0 3-1.1 3-3 0-2.9-3-6.2-6-6.2z"/></svg> <span>${info.title}</span></a>
  <label class="needs-script">API key <input id="key" type="password" placeholder="petstore_…" autocomplete="off" spellcheck="false"></label>
</header>
<div class="layout">
<nav aria-label="Contents">
  <ul>${operations.map(({ operationId, method, summary }) => {
    return html`<li><a href="#${operationId}"><b>${method}</b> ${summary}</a></li>`;
  })}</ul>
  <ul><li><a href="#errors">Error codes</a></li><li><a href="#schemas">Schemas</a></li><li><a href="#guide">Guide</a></li></ul>
</nav>
<main id="main" tabindex="-1">
<section>
  <h1>${info.title} API</h1>
  <p>${info.summary}</p>
  <p>Version ${info.version} of the interface. For tools: <a href="openapi.json">openapi.json</a>, <a href="openapi.yaml">openapi.yaml</a>.</p>
  <p>The curl commands read your API key from the variable <code>API_KEY</code>. <span class="needs-script">To try an operation here, enter it under <a href="#key">API key</a> at the top: it is sent to this service only, and forgotten when you leave the page.</span></p>
</section>
${operations.map((operation) => operationHtml(operation, api))}
${errorCodesHtml(api)}
${schemasHtml(api)}
${partHtml("h2", "guide", "Guide", markdown(guide))}
</main>
</div>
</body>
</html>
`.text;
}
