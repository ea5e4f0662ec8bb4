import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { FIXED_HEADERS, JSON_TYPE } from "./headers.js";
import { HttpError } from "./http-error.js";
import { isDue } from "./responses.js";

/** Called for bytes that never became a request. */
export type RequestRejected = (rejected: {
  readonly requestId: string;
  readonly status: number;
  readonly code: string;
  readonly client: string | undefined;
}) => void;

/** In bytes: the target, and the names and values of the headers. */
export const HEADERS_LIMIT = 16 * 1024;

const MALFORMED = new HttpError("malformed_request", "The request is not well-formed HTTP/1.1 (RFC 9112).");
const LATE = new HttpError("request_timeout", "The request took too long to arrive; send it again.");
const LONG_HEAD = new HttpError("headers_too_large", `The head must be at most ${HEADERS_LIMIT} bytes long.`);

/** By the error code of Node's parser. */
const ERRORS: Readonly<Record<string, HttpError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: LATE,
  HPE_HEADER_OVERFLOW: LONG_HEAD,
};

/** Responds to what Node's parser rejected, after the `latest` response on the connection, and ends that. */
export function reject(
  socket: Socket,
  latest: ServerResponse | undefined,
  parserCode: string | undefined,
  requestRejected: RequestRejected,
): void {
  if (!socket.writable) return;
  const { status, code, body } = ERRORS[String(parserCode)] ?? MALFORMED;
  const headers = {
    "Content-Type": JSON_TYPE,
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  };
  if (latest && isDue(latest)) {
    latest.once("close", () => reject(socket, latest, parserCode, requestRejected));
  } else if (latest && !latest.req.complete) {
    // Its body fails; `read-body.ts` learns that from `destroy`. It gets no second response.
    if (latest.headersSent) socket.end();
    else latest.writeHead(status, headers).end(body, () => latest.req.destroy());
  } else {
    // There is no `ServerResponse` for what never became a request.
    const requestId = randomUUID();
    const all = { ...FIXED_HEADERS, ...headers, "X-Request-Id": requestId, Date: new Date().toUTCString() };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const client = socket.remoteAddress;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
    requestRejected({ requestId, status, code, client });
  }
}
