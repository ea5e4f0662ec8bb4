import { STATUS_CODES } from "node:http";
import { Readable, Stream } from "node:stream";
import type { Context } from "../context.js";
import { answerError } from "./answer-error.js";
import { foreignError } from "./foreign-error.js";

/**
 * The one place where an answer goes to the wire: by one `writeHead` and one `end`, unless it is a stream. Resolves once
 * the answer is made.
 *
 * @param isLast whether the answer asks its client to close the connection
 */
export function writeAnswer(ctx: Context, isLast: boolean): void | Promise<void> {
  const { req, res, state } = ctx;
  if (ctx.respond === false) return;
  const ours = state.answer;
  if (ours) {
    if (isLast && !ours.headers.includes("Connection")) ours.headers.push("Connection", "close");
    res.writeHead(ours.status, ours.headers);
    res.end(req.method === "HEAD" ? undefined : ours.body);
    return;
  }
  const body = bodyOf(ctx);
  if (isLast && !res.headersSent) res.setHeader("Connection", "close");
  if (body instanceof Readable && req.method !== "HEAD") return writeStream(ctx, body);
  if (!res.headersSent) res.writeHead(res.statusCode);
  res.end(req.method === "HEAD" ? undefined : body);
}

/** The statuses whose answers have no body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const EMPTY = new Set([204, 205, 304]);

const JSON_OF_KOA = "application/json; charset=utf-8";

/** The body that Koa would send, but JSON without a charset, and an Error body for an error without any. */
function bodyOf(ctx: Context): string | Buffer | Readable | undefined {
  const { res, response } = ctx;
  fillInError(ctx);
  if (EMPTY.has(response.status)) response.body = null;
  else if (response.body === null) response.length = 0;
  else if (response.body === undefined) response.body = STATUS_CODES[response.status] ?? "";
  const { body } = response;
  if (body === null || body === undefined) return undefined;
  if (!res.headersSent) {
    if (res.getHeader("Content-Type") === JSON_OF_KOA) res.setHeader("Content-Type", "application/json");
    // An answer has one of the two (RFC 9112, section 6.2).
    if (res.hasHeader("Transfer-Encoding")) res.removeHeader("Content-Length");
  }
  if (typeof body === "string" || Buffer.isBuffer(body)) return body;
  if (body instanceof Stream) return body as Readable;
  if (body instanceof Blob) return Readable.from(body.stream());
  if (body instanceof ReadableStream) return Readable.from(body);
  if (body instanceof Response) return Readable.from(body.body ?? []);
  const text = JSON.stringify(body);
  if (!res.headersSent) response.length = Buffer.byteLength(text);
  return text;
}

/** Gives an error status without a body its Error body, where Koa sends the status's name. */
export function fillInError(ctx: Context): void {
  const { response } = ctx;
  if (response.status < 400 || (response.body !== undefined && response.body !== null)) return;
  if (ctx.respond !== false && !ctx.res.headersSent) answerError(ctx, foreignError(response.status));
}

/** Koa destroys the stream if the client has gone. */
function writeStream({ res }: Context, stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once("error", reject);
    res.once("close", resolve);
    stream.pipe(res);
  });
}
