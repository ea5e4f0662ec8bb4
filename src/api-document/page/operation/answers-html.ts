import { STATUS_CODES } from "node:http";
import { httpTokens } from "../../browser/text/http-tokens.js";
import { HEADER_NAMES, ON_EVERY_ANSWER } from "../../describe/header-refs.js";
import { exactJson, type Json, type JsonObject } from "../../json.js";
import { foldHtml } from "../fold-html.js";
import { type Html, html } from "../html.js";
import { tokensHtml } from "../tokens-html.js";
import { resolve } from "../type-html.js";
import type { PlacedOperation } from "./placed-operation.js";

/** The guide describes these headers once, for all answers. */
const COMMON = new Set(ON_EVERY_ANSWER.map((name) => HEADER_NAMES[name]));

type Headers = readonly (readonly [name: string, header: JsonObject])[];

/** The headers that a response has beside those of every answer. */
export function ownHeaders(response: JsonObject): Headers {
  const headers = (response.headers ?? {}) as Readonly<Record<string, JsonObject>>;
  return Object.entries(headers).filter(([name]) => !COMMON.has(name));
}

/** The success of an operation: its status, its meaning, and links to its headers. */
export function answerHtml({ operation }: PlacedOperation): Html {
  const [status, response] = successOf(operation);
  const headers = ownHeaders(response);
  return html`<h3>Answer</h3>
<p><span class="status s2">${status}</span> ${response.description as string}</p>
${
  headers.length === 0
    ? ""
    : html`<p class="with">Headers: ${headers.map(
        ([name, header], i) =>
          html`${i === 0 ? "" : ", "}<a href="#header-${String(header.$ref).split("/").at(-1)}"><code>${name}</code></a>`,
      )}</p>`
}`;
}

/** The codes of an operation's errors by status, each a link to its meaning and remedy. */
export function errorsHtml({ id, operation }: PlacedOperation): Html {
  const byStatus = errorsOf(operation);
  return foldHtml(
    `${id}-errors`,
    `about ${operation.summary as string}`,
    "Errors",
    html`<dl class="codes">${byStatus.map(
      ([status, codes]) =>
        html`<div><dt class="status s${status.slice(0, 1)}">${status}</dt><dd>${codes.map(
          (code) => html` <a href="#error-${code}"><code>${code}</code></a>`,
        )}</dd></div>`,
    )}</dl>`,
  );
}

export function errorsOf({ responses }: JsonObject): (readonly [status: string, codes: string[]])[] {
  return Object.entries(responses as Readonly<Record<string, JsonObject>>)
    .filter(([status]) => status >= "400")
    .map(([status, response]) => [status, Object.keys(examplesOf(response))]);
}

/** The first example of its success, with status, headers and body. */
export function successExampleHtml(document: JsonObject, { operation }: PlacedOperation): Html {
  const [status, response] = successOf(operation);
  const [example] = Object.values(examplesOf(response));
  return httpHtml(document, status, ownHeaders(response), example?.value ?? null);
}

/** An answer letter by letter, without headers that only some answers have. */
export function httpHtml(document: JsonObject, status: string, headers: Headers, body: Json): Html {
  const lines = [["Content-Type", "application/json"] as const, ...exampleLines(document, headers)];
  return tokensHtml(httpTokens(`${status} ${STATUS_CODES[status]}`, lines, exactJson(body)));
}

export function exampleLines(document: JsonObject, headers: Headers): [string, string][] {
  return headers
    .filter(([name]) => name !== "Idempotency-Replayed")
    .map(([name, header]) => [name, String(resolve(document, header).example)]);
}

export function successOf({ responses }: JsonObject): [string, JsonObject] {
  return Object.entries(responses as Readonly<Record<string, JsonObject>>)[0] as [string, JsonObject];
}

function examplesOf(response: JsonObject): Readonly<Record<string, { value: Json }>> {
  const content = response.content as { "application/json": { examples: Record<string, { value: Json }> } };
  return content["application/json"].examples;
}
