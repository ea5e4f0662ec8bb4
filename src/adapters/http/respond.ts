import type { ServerResponse } from "node:http";
import type { Middleware, ParameterizedContext } from "koa";
import type { AcceptedKey } from "../../application/ports/key-verifier.js";
import type { PetstoreApp } from "./app.js";
import type { Headers, WireErrorCode } from "./error-codes.js";
import { SECURITY_HEADERS } from "./security-headers.js";

/** What the middleware of one request tells each other. */
export interface State {
  /** The key the request was sent with; set on everything under /v1 once it is authenticated. */
  key: AcceptedKey;
  /** Names the request in its answer and in the log. */
  requestId: string;
  /** The code of the error that was answered; undefined where none was. */
  errorCode: WireErrorCode | undefined;
  /** The Content-Length of the answer; undefined where it has none. */
  bytes: number | undefined;
  /** Headers that every answer to this request carries, errors included. */
  headers: Headers | undefined;
}

export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;

/**
 * Sends the answer as JSON, once per request: status, headers and body in one write, past Koa's own response, which
 * would set each header by itself and add a charset.
 */
export function respond(ctx: Context, status: number, json: string, headers?: Headers): void {
  const length = Buffer.byteLength(json);
  ctx.state.bytes = length;
  const fields = fieldsOf(ctx, headers);
  fields.push("Content-Length", String(length));
  // A head is sent as Latin-1, one byte per character.
  send(ctx.res, status, fields, JSON_LINES, length === json.length ? json : utf8AsLatin1(json));
}

/** Sends an answer of another type, which `headers` tell; `lines` are header lines that are always the same. */
export function respondWith(ctx: Context, content: Buffer, headers: Headers, lines = SECURITY_LINES): void {
  ctx.state.bytes = content.length;
  send(ctx.res, 200, fieldsOf(ctx, { "Content-Length": content.length, ...headers }), lines, content.toString("latin1"));
}

/** Sends an answer without a body (RFC 9110, sections 15.3.5 and 15.4.5). */
export function respondEmpty(
  ctx: Context,
  headers: Headers,
  status: 204 | 304 = 204,
  lines = SECURITY_LINES,
): void {
  send(ctx.res, status, fieldsOf(ctx, headers), lines, "");
}

/** Names and values in turn: the one form that Node writes without making a copy. */
function fieldsOf({ app, res, state }: Context, headers: Headers | undefined): string[] {
  if ((app as PetstoreApp).stopping) res.shouldKeepAlive = false;
  const fields = ["X-Request-Id", state.requestId];
  append(fields, state.headers);
  append(fields, headers);
  return fields;
}

function append(fields: string[], headers: Headers | undefined): void {
  for (const name in headers) fields.push(name, String(headers[name]));
}

/** Header lines that are always the same, which Node then need not check for each answer. */
export function headerLines(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}

const SECURITY_LINES = headerLines(SECURITY_HEADERS);
export const JSON_LINES = headerLines({ "Content-Type": "application/json", ...SECURITY_HEADERS });

function utf8AsLatin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** A response whose head is made and not sent yet: Node keeps it in a property that it does not document. */
interface WithHead {
  _header: string;
}

/**
 * Sends head and body as one string. Node's `end(body)` hands them over as a list of two, which takes the processor
 * a tenth of a request longer (docs/decisions/0007). The body has one character per byte.
 */
export function send(
  res: ServerResponse,
  status: number,
  fields: string[],
  lines: string,
  body: string,
): void {
  res.writeHead(status, fields);
  const response = res as unknown as WithHead;
  response._header = `${response._header.slice(0, -2)}${lines}\r\n${res.req.method === "HEAD" ? "" : body}`;
  res.end();
}
