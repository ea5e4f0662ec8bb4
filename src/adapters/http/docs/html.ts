import { marked } from "marked";

/** HTML that needs no escaping. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | bigint | false | undefined | readonly Part[];

/** Builds HTML from a template. Escapes every part that is not HTML, and omits `false` and `undefined`. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, i) => (i === 0 ? string : render(parts[i - 1]) + string)).join(""));
}

function render(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(render).join("");
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Renders a description in the API document, which is CommonMark. */
export function markdown(text = ""): Html {
  return new Html(marked.parse(text, { async: false }).trim());
}
