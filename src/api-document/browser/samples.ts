/** A request, as an example shows it and "Try it" sends it. In the browser `try.ts` reads it from the fields. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  /** All headers except Authorization. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export const LANGUAGES = { curl: "curl", javascript: "JavaScript", python: "Python" } as const;
export type Language = keyof typeof LANGUAGES;

/** A program that sends the request and shows the whole answer. Without a key it reads the variable API_KEY. */
export function sampleOf(language: Language, request: ExampleRequest, key: string): string {
  return { curl, javascript, python }[language](request, key);
}

function curl({ method, url, headers, body }: ExampleRequest, key: string): string {
  const authorization =
    key === "" ? '"Authorization: Bearer $API_KEY"' : shell(`Authorization: Bearer ${key}`);
  const lines = [`curl ${word(url)}`, `-i -H ${authorization}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`-d ${shell(body)}`);
  else if (method !== "GET") lines.push(`-X ${method}`);
  return lines.join(" \\\n  ");
}

function javascript({ method, url, headers, body }: ExampleRequest, key: string): string {
  const authorization = key === "" ? `\`Bearer \${process.env.API_KEY}\`` : quoted(`Bearer ${key}`);
  const fields = Object.entries(headers).map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},\n`);
  return `const answer = await fetch(${quoted(url)}, {
${method === "GET" ? "" : `  method: ${quoted(method)},\n`}  headers: {
    Authorization: ${authorization},
${fields.join("")}  },
${body === undefined ? "" : `  body: ${template(body)},\n`}});
console.log(answer.status, await answer.text());`;
}

function python({ method, url, headers, body }: ExampleRequest, key: string): string {
  const authorization = key === "" ? '"Bearer " + os.environ["API_KEY"]' : quoted(`Bearer ${key}`);
  const fields = Object.entries(headers).map(
    ([name, value]) => `        ${quoted(name)}: ${quoted(value)},\n`,
  );
  const text = /[\\\r]|"""|"$/.test(body ?? "") ? quoted(body ?? "") : `"""${body}"""`;
  return `${key === "" ? "import os\n" : ""}from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    ${quoted(url)},
    headers={
        "Authorization": ${authorization},
${fields.join("")}    },
${body === undefined ? "" : `    data=${text}.encode(),\n`}    method=${quoted(method)},
)
try:
    answer = urlopen(request)
except HTTPError as error:
    answer = error
print(answer.status, answer.read().decode())`;
}

/** An address without characters that shells interpret needs no quotes. */
function word(url: string): string {
  return /^[\w:/.-]+$/.test(url) ? url : shell(url);
}

/** In single quotes a shell interprets nothing except the quote itself. */
function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A body becomes a template literal, which keeps its lines; or a string, if a template would interpret a part of it. */
function template(body: string): string {
  return /[`\\\r]|\$\{/.test(body) ? quoted(body) : `\`${body}\``;
}

/** A string of JSON is also a string of JavaScript and of Python. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
