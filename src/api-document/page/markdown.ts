import { marked } from "marked";
import { Html } from "./html.js";

/** The HTML of a description (CommonMark); its headings have an id to link to. */
export function markdown(text: unknown): Html {
  const parsed = marked.parse(String(text ?? ""), { async: false });
  return new Html(
    parsed
      .replace(/<h2>(.*?)<\/h2>/g, (_, title) => `<h2 id="${slug(title)}">${title}</h2>`)
      .replace(/<pre>/g, '<pre tabindex="0">'),
  );
}

/** The headings of a description, in order, as [id, title]. */
export function headings(text: unknown): [string, string][] {
  return [...String(text).matchAll(/^## (.+)$/gm)].map(([, title = ""]) => [slug(title), title]);
}

function slug(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
