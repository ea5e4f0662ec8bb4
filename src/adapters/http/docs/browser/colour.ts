/** A piece of code with its colour, if it has one: the name of a class in `page.css`. */
interface Piece {
  readonly kind?: string;
  readonly text: string;
}

/** One expression for JSON, for whole answers of HTTP, and for samples in curl, JavaScript and Python. */
const COLOURED = new RegExp(
  [
    /(?<name>"(?:[^"\\\n]|\\.)*"(?=:)|^[\w-]+(?=: )|(?<= )--?[a-zA-Z][\w-]*)/,
    /(?<value>(?<=^[\w-]+: ).+)/,
    /(?<string>"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/,
    /(?<good>^2\d\d\b.*)|(?<bad>^[345]\d\d\b.*)/,
    /(?<number>(?<=[[ ])-?\d[\d.eE+-]*(?=,?$))|(?<word>\b(?:const|await|from|import|try|except|as|curl|print|true|false|null)\b)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gm",
);

/** Gives code its colours. */
export function coloured(code: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(COLOURED)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    pieces.push({ text: code.slice(end, index) }, { kind, text });
    end = index + text.length;
  }
  return [...pieces, { text: code.slice(end) }].filter(({ text }) => text !== "");
}
