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
  /** What stands in for the security headers of the API, where the answer is a document; names and values in turn. */
  securityFields: readonly string[] | undefined;
  /** Headers that every answer to this request carries, errors included. */
  headers: Headers | undefined;
}

export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;

/**
 * Sends the answer, once per request: status, headers and body in one write, past Koa's own response, which
 * would set each header by itself and add a charset.
 */
export function respond(ctx: Context, status: number, body: string | Buffer, headers?: Headers): void {
  const length = Buffer.byteLength(body);
  ctx.state.bytes = length;
  write(ctx, status, body, { "Content-Type": "application/json", "Content-Length": length, ...headers });
}

/** Sends an answer without a body (RFC 9110, sections 15.3.5 and 15.4.5). */
export function respondEmpty(ctx: Context, headers: Headers, status: 204 | 304 = 204): void {
  write(ctx, status, "", headers);
}

function write({ app, res, state }: Context, status: number, body: string | Buffer, headers: Headers): void {
  if ((app as PetstoreApp).stopping) res.shouldKeepAlive = false;
  // Names and values in turn: the one form that Node writes without making a copy.
  const fields = ["X-Request-Id", state.requestId, ...(state.securityFields ?? SECURITY_FIELDS)];
  append(fields, state.headers);
  append(fields, headers);
  res.writeHead(status, fields);
  res.end(body);
}

const SECURITY_FIELDS = Object.entries(SECURITY_HEADERS).flat() as string[];

function append(fields: string[], headers: Headers | undefined): void {
  for (const name in headers) fields.push(name, String(headers[name]));
}
