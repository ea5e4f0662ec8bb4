const TOKEN = /"(?:[^"\\]|\\.)*"|\s+|\[\s*\]|\{\s*\}|[[\]{},:]/g;

/** Indents JSON without parsing it: JSON.parse would round integers beyond 2^53. */
export function indentJson(json: string): string {
  let depth = 0;
  const newLine = () => `\n${"  ".repeat(Math.max(depth, 0))}`;
  return json.replace(TOKEN, (token) => {
    if (token === "[" || token === "{") {
      depth += 1;
      return token + newLine();
    }
    if (token === "]" || token === "}") {
      depth -= 1;
      return newLine() + token;
    }
    if (token === ",") return token + newLine();
    if (token === ":") return ": ";
    return token.startsWith('"') ? token : token.replace(/\s+/, "");
  });
}
