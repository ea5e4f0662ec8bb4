import { type Html, html } from "./html.js";

/** A part that is folded at first. A link to its id opens it, and search shows its kind. */
export function foldHtml(id: string, kind: string, title: Html | string, content: Html): Html {
  return html`
<details class="fold" id="${id}" data-find="${kind}"><summary><h3>${title}</h3></summary><div class="folded">${content}</div></details>`;
}
