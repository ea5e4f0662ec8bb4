import { type ServerResponse, validateHeaderValue } from "node:http";
import type { Context } from "../context.js";
import type { PetstoreApp } from "../petstore-app.js";
import type { Headers } from "./error-codes.js";
import { SECURITY_HEADERS } from "./security-headers.js";

/**
 * Sends the answer as JSON, once per request: status, headers and body in one write, past Koa's own response, which
 * would set each header by itself and add a charset.
 */
export function respond(ctx: Context, status: number, json: string, headers?: Headers): void {
  const length = Buffer.byteLength(json);
  // A head is sent as Latin-1, one byte per character.
  const body = length === json.length ? json : Buffer.from(json).toString("latin1");
  answer(ctx, status, JSON_LINES, headers, body);
}

/** Sends content of another type, which `headers` tell; `lines` are header lines that are always the same. */
export function respondWith(ctx: Context, content: Buffer, headers: Headers, lines = SECURITY_LINES): void {
  answer(ctx, 200, lines, headers, content);
}

/** Sends an answer without a body (RFC 9110, sections 15.3.5 and 15.4.5). */
export function respondEmpty(
  ctx: Context,
  headers: Headers,
  status: 204 | 304 = 204,
  lines = SECURITY_LINES,
): void {
  answer(ctx, status, lines, headers);
}

/** Without a body, the answer has no Content-Length either. */
function answer(
  { app, res, state }: Context,
  status: number,
  lines: string,
  headers: Headers | undefined,
  body?: string | Buffer,
): void {
  if ((app as PetstoreApp).stopping) res.shouldKeepAlive = false;
  // Names and values in turn: the one form that Node writes without making a copy.
  const fields: string[] = [];
  for (const name in headers) fields.push(name, String(headers[name]));
  if (body !== undefined) {
    state.bytes = body.length;
    fields.push("Content-Length", String(body.length));
  }
  send(res, status, fields, state.lines + lines, body);
}

/**
 * Header lines that need no checking for each answer, since they are always the same or made here.
 *
 * @throws TypeError where a value cannot be that of a header
 */
export function headerLines(headers: Headers): string {
  let lines = "";
  for (const name in headers) {
    const value = String(headers[name]);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

const SECURITY_LINES = headerLines(SECURITY_HEADERS);
export const JSON_LINES = headerLines({ "Content-Type": "application/json", ...SECURITY_HEADERS });

/** A response whose head is made and not sent yet: Node keeps it in a property that it does not document. */
interface HeadMade {
  _header: string;
}

/**
 * Sends a head, with `lines` as the last of its headers, and the body as one string. Node's `end(body)` would hand them
 * over as a list of two, which takes a tenth of a request longer (docs/decisions/0021).
 *
 * @param body one character per byte; a Buffer, which many answers may share, is sent by itself
 */
export function send(
  res: ServerResponse,
  status: number,
  fields: string[],
  lines: string,
  body: string | Buffer = "",
): void {
  res.writeHead(status, fields);
  const made = res as unknown as HeadMade;
  const head = `${made._header.slice(0, -2)}${lines}\r\n`;
  const joined = typeof body === "string" && res.req.method !== "HEAD";
  made._header = joined ? head + body : head;
  if (joined) res.end();
  else res.end(body);
}
