import { jsonTokens, type Token } from "./json-tokens.js";

/** The tokens of a whole answer: status line, headers, and the body to the digit. */
export function httpTokens(
  status: string,
  headers: readonly (readonly [string, string])[],
  body: string,
): Token[] {
  return [
    { kind: "mark", text: "HTTP/1.1 " },
    { kind: /^[123]/.test(status) ? "good" : "bad", text: status },
    ...headers.flatMap(([name, value]): Token[] => [
      { kind: "mark", text: "\n" },
      { kind: "name", text: name },
      { kind: "mark", text: `: ${value}` },
    ]),
    { kind: "mark", text: "\n\n" },
    ...jsonTokens(body),
  ];
}
