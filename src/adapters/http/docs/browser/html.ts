import { coloured } from "./colour.js";

// The build, which makes the page, uses this module, and so do the scripts of the page.

/** HTML that is safe to put into a page as it is. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | bigint | false | undefined | readonly Part[];

/** HTML from a template, in which everything that is not itself HTML is escaped. `false` and `undefined` are left out. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, i) => (i === 0 ? string : render(parts[i - 1]) + string)).join(""));
}

function render(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(render).join("");
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Code with its colours. */
export function codeHtml(text: string): Html {
  return html`<code>${coloured(text).map(({ kind, text }) => (kind ? html`<span class="${kind}">${text}</span>` : text))}</code>`;
}
