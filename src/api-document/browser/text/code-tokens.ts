import type { Token } from "./json-tokens.js";

const COLOURED =
  /(?<string>"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|(?<word>\b(?:const|await|from|import|try|except|as|curl|print)\b)|(?<name>(?<= )-[iHdX]\b)/g;

/** The tokens of a sample in any of the three languages. The key is a token of its own, so that the page can mask it. */
export function codeTokens(code: string, key: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(COLOURED)) {
    tokens.push({ kind: "mark", text: code.slice(end, index) });
    tokens.push(...withSecret(groups.string ? "string" : groups.word ? "word" : "name", text, key));
    end = index + text.length;
  }
  return [...tokens, { kind: "mark", text: code.slice(end) }];
}

function withSecret(kind: Token["kind"], text: string, key: string): Token[] {
  const at = key === "" ? -1 : text.indexOf(key);
  if (at === -1) return [{ kind, text }];
  return [
    { kind, text: text.slice(0, at) },
    { kind: "secret", text: key },
    { kind, text: text.slice(at + key.length) },
  ];
}
