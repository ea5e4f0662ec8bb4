import type { Token } from "../browser/text/json-tokens.js";
import { type Html, html } from "./html.js";

/** Code with the colours of its tokens. */
export function tokensHtml(tokens: readonly Token[]): Html {
  return html`<code>${tokens.map(({ kind, text }) =>
    kind === "mark" ? text : html`<span class="${kind}">${text}</span>`,
  )}</code>`;
}
