import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type Koa from "koa";
import { FIXED_HEADERS } from "./headers.js";
import { HttpError } from "./http-error.js";

/** The log line of bytes that never became a request. */
export type Rejected = { requestId: string; status: number; code: string; client: string | undefined };

/** Limit of the target and of the names and values of the headers, in all (bytes). */
export const HEADERS_LIMIT = 16 * 1024;

const MALFORMED = new HttpError("malformed_request", "The request is not well-formed HTTP/1.1 (RFC 9112).");
const LATE = new HttpError("request_timeout", "The request took too long to arrive; send it again.");
const LONG_HEAD = new HttpError("headers_too_large", `The head must be at most ${HEADERS_LIMIT} bytes long.`);
const ERRORS = new Map([
  ["ERR_HTTP_REQUEST_TIMEOUT", LATE],
  ["HPE_HEADER_OVERFLOW", LONG_HEAD],
]);

/** Whether the response is in flight, or its client has not read it. A request that is not complete yet has no such claim. */
export function isPending({ writableFinished, req, headersSent }: ServerResponse): boolean {
  return !writableFinished && (req.complete || headersSent);
}

/**
 * Responds to a request that Node's parser rejected, after the unfinished `responses` of its connection, and
 * ends the connection. The application emits `rejected` if the bytes never became a request.
 */
export function reject(app: Koa, socket: Socket, responses: readonly ServerResponse[], parserCode?: string) {
  if (!socket.writable) return;
  const latest = responses.at(-1);
  const { status, code, body } = ERRORS.get(String(parserCode)) ?? MALFORMED;
  const headers = { ...FIXED_HEADERS, "Content-Length": body.length, Connection: "close" };
  if (latest && isPending(latest)) {
    latest.once("close", () => reject(app, socket, responses, parserCode));
  } else if (latest) {
    // The body of this request fails: `destroy` tells `read-body.ts`. There is no second response.
    if (latest.headersSent) socket.end();
    else latest.writeHead(status, headers).end(body, () => latest.req.destroy());
  } else {
    // Node creates no `ServerResponse` for bytes that never became a request.
    const requestId = randomUUID();
    const all = { ...headers, "X-Request-Id": requestId, Date: new Date().toUTCString() };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    app.emit("rejected", { requestId, status, code, client: socket.remoteAddress } satisfies Rejected);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  }
}
