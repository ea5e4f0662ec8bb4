import { coloured } from "./colour.js";

export function find<Found extends Element = HTMLElement>(within: ParentNode, selector: string): Found {
  return within.querySelector<Found>(selector) as Found;
}

export function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, ...content: (string | Node)[]) {
  const made = document.createElement(tag);
  made.append(...content);
  return made;
}

/** Shows code with its colours in place of that in a `pre`. */
export function showCode(pre: Element, code: string, secret?: string): void {
  const parts = coloured(code, secret).map(({ kind, text }) => {
    if (!kind) return text;
    const part = element("span", text);
    part.className = kind;
    return part;
  });
  pre.replaceChildren(element("code", ...parts));
}
