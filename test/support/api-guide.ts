import { readFileSync } from "node:fs";

/** A piece of code of docs/api.md. It has a file that it is to be kept in, or an output, or both. */
interface Example {
  readonly language: string;
  readonly file: string | undefined;
  readonly code: string;
  readonly output: string | undefined;
}

const FENCE = /^```(\w+)(?: (\S+))?\n(.*?)^```\n(?:\n```text\n(.*?)^```)?/gms;

export const EXAMPLES: readonly Example[] = [...readFileSync("docs/api.md", "utf8").matchAll(FENCE)].map(
  ([, language = "", file, code = "", output]) => ({ language, file, code, output }),
);

/** The code of an example that uses a service at another origin. */
export function codeAt(origin: string, { code }: Example): string {
  return code.replaceAll("http://127.0.0.1:3000", origin);
}
