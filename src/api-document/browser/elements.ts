import type { Token } from "./text/json-tokens.js";

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  ...content: (string | Node)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** Shows code in place of that in a `pre`, with the colours of its tokens. */
export function showTokens(pre: Element, tokens: readonly Token[]): void {
  const code = element("code");
  for (const { kind, text } of tokens) code.append(kind === "mark" ? text : element("span", kind, text));
  pre.replaceChildren(code);
}

export function find<Found extends Element = HTMLElement>(within: ParentNode, selector: string): Found {
  return within.querySelector<Found>(selector) as Found;
}
