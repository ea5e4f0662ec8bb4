import { STATUS_CODES } from "node:http";
import { finished, Readable, Stream } from "node:stream";
import type { Context } from "../context.js";
import { answerError } from "./answer-error.js";
import { foreignError } from "./foreign-error.js";

/**
 * The one place where `ctx.status`, `ctx.body` and the headers become the answer. It works like Koa's own
 * `respond`, and keeps two rules of the contract: no charset with JSON, and an Error body for each error.
 */
export function writeAnswer(ctx: Context): void {
  const { res, response } = ctx;
  if (ctx.respond === false) return;
  if (!response.writable) {
    res.end();
    return;
  }
  if (EMPTY.has(response.status)) response.body = null;
  else if (response.body === undefined || response.body === null) fillIn(ctx);
  const { body } = response;
  if (res.getHeader("Content-Type") === JSON_OF_KOA && !res.headersSent)
    res.setHeader("Content-Type", "application/json");
  // An answer has one of the two (RFC 9112, section 6.2); Node's own response would send both.
  if (res.hasHeader("Transfer-Encoding") && !res.headersSent) res.removeHeader("Content-Length");
  if (typeof body === "string" || Buffer.isBuffer(body))
    res.end(ctx.req.method === "HEAD" ? undefined : body);
  else if (body === undefined || body === null) res.end();
  else writeOther(ctx, body);
}

/** The statuses whose answers have no body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const EMPTY = new Set([204, 205, 304]);

const JSON_OF_KOA = "application/json; charset=utf-8";

/**
 * Gives an error status without a body its Error body. Runs before the log and the metrics look at the
 * answer, and again when the answer is written, since a middleware in front of them may set a status, too.
 */
export function fillInError(ctx: Context): void {
  const { response } = ctx;
  if (response.body === undefined || response.body === null) {
    if (ctx.respond !== false && !ctx.res.headersSent) answerError(ctx, foreignError(response.status));
  }
}

/** Fills in the body of an answer without one: an Error body at an error, where Koa sends the status's name. */
function fillIn(ctx: Context): void {
  const { response } = ctx;
  const { status } = response;
  if (status >= 400) answerError(ctx, foreignError(status));
  else if (response.body === null) response.length = 0;
  else response.body = STATUS_CODES[status] ?? String(status);
}

/** Writes a body that is neither a string nor a Buffer: a stream, or what becomes JSON. */
function writeOther(ctx: Context, body: unknown): void {
  const { req, res, response } = ctx;
  const stream = streamOf(body);
  if (stream && req.method === "HEAD") res.end();
  else if (stream) writeStream(ctx, stream);
  else {
    const text = JSON.stringify(body);
    if (!res.headersSent) response.length = Buffer.byteLength(text);
    res.end(req.method === "HEAD" ? undefined : text);
  }
}

function writeStream(ctx: Context, stream: Readable): void {
  finished(stream, { writable: false }, (error) => {
    // Koa destroys the stream if the client has gone, which is no failure.
    if (error && !ctx.res.destroyed) ctx.onerror(error);
  });
  stream.pipe(ctx.res);
}

/** The kinds of bodies that Koa allows beside strings and Buffers. */
function streamOf(body: unknown): Readable | undefined {
  if (body instanceof Stream) return body as Readable;
  if (body instanceof Blob) return Readable.from(body.stream());
  if (body instanceof ReadableStream) return Readable.from(body);
  if (body instanceof Response) return Readable.from(body.body ?? []);
  return undefined;
}
