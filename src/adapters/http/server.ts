import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { PetstoreApp } from "./app.js";
import { errorBody, STATUS_OF_CODE, type WireErrorCode } from "./error-codes.js";

/** How long each phase may last, in milliseconds. */
export const TIMEOUTS = {
  /** From the first byte of a request to the end of its headers. */
  headers: 10_000,
  /** From the first byte of a request to the end of its body. */
  request: 30_000,
  /** How long a connection may be idle between two requests; more than a reverse proxy in front keeps its own. */
  keepAlive: 65_000,
};

/** The largest head of a request, in bytes. */
export const HEADERS_LIMIT = 16 * 1024;

/**
 * A server for the application, not yet listening. It answers itself what never becomes a request: Node's own
 * answers to malformed, late or oversized heads have another shape, or no body at all.
 */
export function createHttpServer(app: PetstoreApp, timeouts = TIMEOUTS): Server {
  const handle = app.callback();
  const server = createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: Math.min(1000, timeouts.headers / 2),
      maxHeaderSize: HEADERS_LIMIT,
      // The application refuses a missing Host, in the shape of its errors; a repeated header must not be dropped.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    },
    handle,
  );
  server.on("clientError", answerClientError);
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    answerRaw(socket, "method_not_allowed", METHOD_MESSAGE, METHODS);
  });
  server.on("checkContinue", handle);
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const text = errorBody("malformed_request", "The only expectation that is understood is 100-continue.");
    response.writeHead(400, { ...RAW_HEADERS, "Content-Length": Buffer.byteLength(text) }).end(text);
  });
  return server;
}

const RAW_HEADERS = { "Content-Type": "application/json", Connection: "close" };
const METHODS = { Allow: "GET, HEAD, OPTIONS, POST" };
const METHOD_MESSAGE = "This method is not known; Allow names those that are.";

interface ClientError extends Error {
  readonly code?: string;
  /** What was received and could not be read. */
  readonly rawPacket?: Buffer;
}

function answerClientError(error: ClientError, socket: Socket): void {
  // An answer that is still due on this connection would be overtaken by this one: the client could not tell.
  if (!socket.writable || error.code === "ECONNRESET" || isAnswerDue(socket)) socket.destroy();
  else if (isUnknownMethod(error)) answerRaw(socket, "method_not_allowed", METHOD_MESSAGE, METHODS);
  else answerRaw(socket, ...diagnose(error));
}

function diagnose({ code }: ClientError): [WireErrorCode, string] {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return ["request_timeout", "The request took too long to arrive; send it again."];
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    return ["headers_too_large", `The head must be at most ${HEADERS_LIMIT} bytes long.`];
  }
  return ["malformed_request", "The request is not well-formed HTTP/1.1 (RFC 9112)."];
}

/** Whether what was sent begins as a request does, with a method (a token of RFC 9110) that Node does not know. */
function isUnknownMethod({ code, rawPacket }: ClientError): boolean {
  return code === "HPE_INVALID_METHOD" && /^[!#$%&'*+.^`|~\w-]+ /.test(rawPacket?.toString("latin1") ?? "");
}

/**
 * Whether a request that arrived whole waits for its answer, or an answer has begun. Node keeps the response
 * that is being sent in `_httpMessage`, and its own handler of client errors asks it the same.
 */
function isAnswerDue(socket: Socket): boolean {
  const response = (socket as { _httpMessage?: ServerResponse })._httpMessage;
  return response !== undefined && response !== null && (response.req.complete || response.headersSent);
}

/** How long an answer may take to be read before its connection is cut, in milliseconds. */
const LINGER = 1000;

/** Writes an answer below HTTP's own machinery, and closes the connection once it could be read. */
function answerRaw(socket: Socket, code: WireErrorCode, message: string, headers = {}): void {
  const text = errorBody(code, message);
  const status = STATUS_OF_CODE[code];
  const all = {
    ...RAW_HEADERS,
    ...headers,
    "Content-Length": Buffer.byteLength(text),
    Date: new Date().toUTCString(),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`);
  // Closing with bytes unread would reset the connection, and the answer with it.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER).unref();
}
