import { readFileSync } from "node:fs";

/** A code block of docs/api.md: a file to save under the name behind its language, or code with its output below, or both. */
export interface Example {
  readonly language: string;
  readonly file: string | undefined;
  readonly code: string;
  readonly output: string | undefined;
}

const BLOCK = /^```(\w+)(?: (\S+))?\n(.*?)^```\n(?:\n```text\n(.*?)^```)?/gms;

export const EXAMPLES: readonly Example[] = [...readFileSync("docs/api.md", "utf8").matchAll(BLOCK)].map(
  ([, language = "", file, code = "", output]) => ({ language, file, code, output }),
);

export function codeAt(origin: string, { code }: Example): string {
  return code.replaceAll("http://127.0.0.1:3000", origin);
}
