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

/** A program that sends the request, with the key of the variable API_KEY, and shows the whole answer. */
export function sampleOf(language: Language, request: ExampleRequest): string {
  return { curl, javascript, python }[language](request);
}

function curl({ method, url, headers, body }: ExampleRequest): string {
  const lines = [`curl ${word(url)}`, '-i -H "Authorization: Bearer $API_KEY"'];
  // What curl does not send by itself; `-X HEAD` would wait for a body.
  if (method === "HEAD") lines.push("--head");
  else if (method !== (body === undefined ? "GET" : "POST")) lines.push(`-X ${method}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`--data-raw ${shell(body)}`);
  return lines.join(" \\\n  ");
}

function javascript({ method, url, headers, body }: ExampleRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},\n`);
  return `const answer = await fetch(${quoted(url)}, {
${method === "GET" ? "" : `  method: ${quoted(method)},\n`}  headers: {
    Authorization: \`Bearer \${process.env.API_KEY}\`,
${fields.join("")}  },
${body === undefined ? "" : `  body: ${template(body)},\n`}});
console.log(answer.status, await answer.text());`;
}

function python({ method, url, headers, body }: ExampleRequest): string {
  const fields = Object.entries(headers).map(
    ([name, value]) => `        ${quoted(name)}: ${quoted(value)},\n`,
  );
  const text = /[\\\r]|"""|"$/.test(body ?? "") ? quoted(body ?? "") : `"""${body}"""`;
  return `import os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    ${quoted(url)},
    headers={
        "Authorization": "Bearer " + os.environ["API_KEY"],
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
