export interface Token {
  readonly kind: "word" | "string" | "template" | "regex" | "mark";
  /** The token's text in the source: of a string without its quotes, of a template only the first piece. */
  readonly text: string;
}

const SPACE_OR_COMMENT = /\s+|\/\/.*|\/\*[\s\S]*?\*\//y;
const STRING = /"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)'/y;
const TEMPLATE_PIECE = /((?:[^`\\$]|\\[\s\S]|\$(?!\{))*)(`|\$\{)/y;
const REGEX = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const WORD = /[\p{ID_Start}\p{Nd}$_][\p{ID_Continue}$]*/uy;

/** A slash after one of these words begins a regular expression; otherwise it divides. */
const BEFORE_EXPRESSION =
  /^(?:return|typeof|case|in|of|await|yield|void|delete|instanceof|else|do|throw|new|default)$/;

/**
 * Takes TypeScript apart into tokens, without comments, in enough detail to distinguish code from text that
 * looks like it. It refuses a source that it cannot read, so that it overlooks nothing.
 *
 * @throws SyntaxError at an unfinished string, comment or template, and at an escape outside of them.
 */
export function tokens(source: string): Token[] {
  const found: Token[] = [];
  /** For each open brace whether it belongs to code, or to a template that goes on behind it. */
  const braces: ("code" | "template")[] = [];
  let at = 0;

  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) at = pattern.lastIndex;
    return match;
  }
  function takeTemplatePiece(): string {
    const piece = take(TEMPLATE_PIECE);
    if (!piece) throw new SyntaxError(`unfinished template at ${at}`);
    if (piece[2] === "${") braces.push("template");
    return piece[1] as string;
  }

  while (at < source.length) {
    if (take(SPACE_OR_COMMENT)) continue;
    const character = source[at] as string;
    const previous = found.at(-1);
    const string = take(STRING);
    if (string) {
      found.push({ kind: "string", text: (string[1] ?? string[2]) as string });
    } else if (character === "`") {
      at++;
      found.push({ kind: "template", text: takeTemplatePiece() });
    } else if (character === "}" && braces.pop() === "template") {
      at++;
      takeTemplatePiece();
    } else if (character === "/" && (!previous || expectsExpression(previous))) {
      const regex = take(REGEX);
      if (!regex) throw new SyntaxError(`unfinished regular expression or comment at ${at}`);
      found.push({ kind: "regex", text: regex[0] });
    } else {
      const word = take(WORD);
      if (word) {
        found.push({ kind: "word", text: word[0] });
        continue;
      }
      if (/["'\\]/.test(character)) throw new SyntaxError(`cannot read ${character} at ${at}`);
      if (character === "{") braces.push("code");
      found.push({ kind: "mark", text: character });
      at++;
    }
  }
  if (braces.length > 0) throw new SyntaxError("a brace is not closed");
  return found;
}

function expectsExpression({ kind, text }: Token): boolean {
  return kind === "mark" ? !/[)\]}]/.test(text) : kind === "word" && BEFORE_EXPRESSION.test(text);
}
