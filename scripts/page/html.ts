import { marked } from "marked";

/** HTML that needs no escaping. */
export class Html {
  constructor(readonly text: string) {}
}

export type Part = Html | string | number | bigint | boolean | undefined | readonly Part[];

/** Builds HTML from a template. Escapes every part that is not HTML, and omits booleans and `undefined`. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, i) => (i === 0 ? string : render(parts[i - 1]) + string)).join(""));
}

function render(part: Part): string {
  if (part === undefined || typeof part === "boolean") return "";
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(render).join("");
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Renders CommonMark, such as a description in the API document. */
export function markdown(text = ""): Html {
  return new Html(marked.parse(text, { async: false }).trim());
}

/** Renders a part of the page under a heading that links to itself. */
export function partHtml(tag: "h2" | "h3", id: string, title: string, content: Part): Html {
  return html`
<section id="${id}">
<${tag}><a href="#${id}">${title}</a></${tag}>
${content}
</section>`;
}
