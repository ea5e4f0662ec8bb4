import type { ApiDocument } from "./document.js";
import { code, Html, html } from "./html.js";

const FIRST_REQUEST = `curl http://127.0.0.1:3000/v1/pets \\
  -H "Authorization: Bearer <API_KEY>"`;

const PAW = new Html(
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" fill="currentColor"><ellipse cx="6" cy="10.2" rx="2.1" ry="2.8"/><ellipse cx="10" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="14.6" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="18.6" cy="10.2" rx="2.1" ry="2.8"/><path d="M12.3 10.8c-3 0-6 3.3-6 6.2 0 1.9 1.3 3 3 3 1.2 0 2-.6 3-.6s1.8.6 3 .6c1.7 0 3-1.1 3-3 0-2.9-3-6.2-6-6.2z"/></svg>',
);

/** The bar that stays in view: search, whose list the script fills, and the key. */
export function barHtml(title: string): Html {
  return html`<a class="skip" href="#main">Skip to the documentation</a>
<header>
  <a class="brand" href="#main" aria-label="${title}">${PAW} <span>${title}</span></a>
  <form class="needs-script" id="search-form" role="search" autocomplete="off">
    <label class="visually-hidden" for="search">Search</label>
    <input id="search" type="search" list="places" placeholder="Search, or paste a line of a log" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
    <datalist id="places"></datalist>
  </form>
  <form class="needs-script" id="key-form" autocomplete="off">
    <label for="key">API key</label>
    <input id="key" aria-label="API key" type="password" placeholder="Paste your API key" autocomplete="off" spellcheck="false" aria-describedby="key-note">
    <span id="key-note" class="visually-hidden">Kept in this tab only, and sent to this service only.</span>
  </form>
</header>`;
}

export function introHtml({ info, servers }: ApiDocument): Html {
  return html`<section class="intro">
  <h1>${info.title} API</h1>
  <p class="lead">${info.summary}</p>
  <pre id="first-request" tabindex="0" aria-label="A first request">${code(FIRST_REQUEST)}</pre>
  <dl class="glance">
    <div><dt>Your API key</dt><dd>Enter it at the top, once: it fills the examples, and stays in this tab.</dd></div>
    <div><dt>Base address</dt><dd><code>${servers[0].url}</code></dd></div>
    <div><dt>Version</dt><dd>${info.version}</dd></div>
    <div><dt>For tools</dt><dd><a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a></dd></div>
  </dl>
</section>`;
}
