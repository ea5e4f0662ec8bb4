/** A piece of code with its colour, if it has one: the name of a class in `page.css`. */
interface Piece {
  readonly kind?: string;
  readonly text: string;
}

/** One expression for JSON, for whole answers of HTTP, and for samples in curl, JavaScript and Python. */
const COLOURED = new RegExp(
  [
    /(?<name>"(?:[^"\\\n]|\\.)*"(?=:)|^[\w-]+(?=: )|(?<= )-[iHdX]\b)/,
    /(?<value>(?<=^[\w-]+: ).+)/,
    /(?<string>"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/,
    /(?<good>(?<=^HTTP\/1\.1 )2.*)|(?<bad>(?<=^HTTP\/1\.1 )[345].*)/,
    /(?<number>(?<=[[ ])-?\d[\d.eE+-]*(?=,?$))|(?<word>\b(?:const|await|from|import|try|except|as|curl|print|true|false|null)\b)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gm",
);

/** Gives code its colours. A secret in it is a piece of its own, so that the page can blur it. */
export function coloured(code: string, secret = ""): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(COLOURED)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    const [before = "", ...after] = secret === "" ? [text] : text.split(secret);
    pieces.push({ text: code.slice(end, index) }, { kind, text: before });
    for (const part of after) pieces.push({ kind: "secret", text: secret }, { kind, text: part });
    end = index + text.length;
  }
  return [...pieces, { text: code.slice(end) }].filter(({ text }) => text !== "");
}
