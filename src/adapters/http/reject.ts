import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { FIXED_HEADERS, JSON_TYPE } from "./headers.js";
import { HttpError } from "./http-error.js";

/** Called for bytes that never became a request. */
export type RequestRejected = (rejected: ReturnType<typeof write>) => void;

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
  const error = ERRORS[String(parserCode)] ?? MALFORMED;
  const isInBody = latest?.req.complete === false;
  if (!latest || latest.writableFinished) {
    // A request that has its response gets no second one if its body fails.
    if (isInBody) socket.end();
    else requestRejected(write(socket, error));
  } else if (isInBody && !latest.headersSent && latest.req.listenerCount("error") > 0) {
    // `read-body.ts` is reading that body, and passes the error on.
    latest.setHeader("Connection", "close");
    latest.req.emit("error", error);
  } else {
    latest.once("close", () => reject(socket, latest, parserCode, requestRejected));
  }
}

/** There is no `ServerResponse` for what never became a request. */
function write(socket: Socket, { status, code, body }: HttpError) {
  const requestId = randomUUID();
  const headers = {
    ...FIXED_HEADERS,
    "X-Request-Id": requestId,
    "Content-Type": JSON_TYPE,
    "Content-Length": Buffer.byteLength(body),
    Date: new Date().toUTCString(),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const client = socket.remoteAddress;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  return { requestId, status, code, client };
}
