import { marked } from "marked";
import { Html } from "./html.js";

/** The HTML of a description (CommonMark). */
export function markdown(text: unknown): Html {
  return new Html(marked.parse(String(text ?? ""), { async: false }).trim());
}

interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** Splits a description into its beginning and the parts under headings of a level. */
export function sections(description: unknown, level: "##" | "###"): { first: string; rest: Section[] } {
  const [first = "", ...rest] = String(description ?? "").split(new RegExp(`^${level} `, "m"));
  return {
    first: first.trim(),
    rest: rest.map((part) => {
      const [title = "", ...lines] = part.split("\n");
      return { id: slug(title), title, text: lines.join("\n").trim() };
    }),
  };
}

/** Splits a description into its first paragraph, for all readers, and the others, for careful ones. */
export function usualAndEdge(description: unknown): { usual: string; edge: string } {
  const [usual = "", ...edge] = String(description ?? "").split("\n\n");
  return { usual, edge: edge.join("\n\n") };
}

function slug(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
