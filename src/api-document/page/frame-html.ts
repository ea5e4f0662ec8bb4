import type { JsonObject } from "../json.js";
import { Html, html } from "./html.js";
import { sections } from "./markdown.js";
import { labelsHtml } from "./operation/operation-html.js";
import { operationsOf } from "./operation/placed-operation.js";

const PAW = new Html(
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><g fill="currentColor"><ellipse cx="6" cy="10.2" rx="2.1" ry="2.8"/><ellipse cx="10" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="14.6" cy="5.8" rx="2.1" ry="2.9"/><ellipse cx="18.6" cy="10.2" rx="2.1" ry="2.8"/><path d="M12.3 10.8c-3 0-6 3.3-6 6.2 0 1.9 1.3 3 3 3 1.2 0 2-.6 3-.6s1.8.6 3 .6c1.7 0 3-1.1 3-3 0-2.9-3-6.2-6-6.2z"/></g></svg>',
);

/** The bar that stays in view: the way to the contents, search, and the key. */
export function barHtml(title: string): Html {
  return html`<a class="skip" href="#main">Skip to the documentation</a>
<header>
  <a class="brand" href="#main">${PAW} <span>${title}</span></a>
  <button type="button" class="search-button needs-script" id="search-button" aria-keyshortcuts="/ Control+K" aria-haspopup="dialog"><span>Search</span> <kbd>/</kbd></button>
  <form class="key needs-script" id="key-form" autocomplete="off">
    <label for="key">API key</label>
    <input id="key" type="password" placeholder="Paste your API key" autocomplete="off" spellcheck="false" aria-describedby="key-note">
    <span id="key-note" class="visually-hidden">Kept in this tab only, and sent to this service only.</span>
  </form>
</header>`;
}

export function contentsHtml(document: JsonObject): Html {
  const { description } = document.info as Record<string, string>;
  return html`<nav aria-label="Contents">
  <details open>
  <summary>Contents</summary>
  <h2>Operations</h2>
  <ul>${operationsOf(document).map(
    ({ id, method, operation }) =>
      html`<li><a href="#${id}"><span class="method">${method}</span> <span>${operation.summary as string}</span> ${labelsHtml(operation)}</a></li>`,
  )}</ul>
  <h2>Guide</h2>
  <ul>${sections(description, "##").rest.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
  <h2>Reference</h2>
  <ul>
    <li><a href="#error-codes">Error codes</a></li>
    <li><a href="#headers">Headers of answers</a></li>
    <li><a href="#reference">Schemas</a></li>
  </ul>
  </details>
</nav>`;
}

/** Search over everything that has an anchor; the script fills it. */
export function searchHtml(): Html {
  return html`<dialog id="search" aria-label="Search">
  <input id="search-text" type="text" role="combobox" aria-label="Search" aria-autocomplete="list" aria-expanded="true" aria-controls="search-results" placeholder="Operation, parameter, header, or an error code from your log" autocomplete="off" spellcheck="false">
  <ul id="search-results" role="listbox" aria-label="Found"></ul>
  <p class="hint"><kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Enter</kbd> goes there · <kbd>Esc</kbd> closes</p>
</dialog>`;
}
