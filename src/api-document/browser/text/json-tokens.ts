type TokenKind = "name" | "string" | "number" | "word" | "secret" | "good" | "bad" | "mark";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/**
 * The tokens of a JSON text, laid out with line breaks and indentation. Every token is shown as it was written:
 * nothing is read as a number, so no integer is rounded.
 */
export function jsonTokens(json: string): Token[] {
  const tokens: Token[] = [];
  const texts = json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g) ?? [];
  let depth = 0;
  const newLine = () => `\n${"  ".repeat(depth)}`;
  texts.forEach((text, index) => {
    const opens = text === "{" || text === "[";
    const closes = text === "}" || text === "]";
    const previous = texts[index - 1] ?? "";
    const isEmpty = /^(\{\}|\[\])$/.test(previous + text);
    if (closes) depth--;
    if (closes && !isEmpty) mark(newLine());
    else if (previous === "," || (/^[{[]$/.test(previous) && !closes)) mark(newLine());
    if (opens) depth++;
    if (text.startsWith('"')) tokens.push({ kind: texts[index + 1] === ":" ? "name" : "string", text });
    else if (/^-?\d/.test(text)) tokens.push({ kind: "number", text });
    else if (/^\w/.test(text)) tokens.push({ kind: "word", text });
    else mark(text === ":" ? ": " : text);
  });
  return tokens;

  function mark(text: string): void {
    tokens.push({ kind: "mark", text });
  }
}
