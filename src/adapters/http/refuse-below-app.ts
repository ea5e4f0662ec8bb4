import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { PetstoreApp } from "./app.js";
import { errorBody, type Headers, STATUS_OF_CODE, type WireErrorCode } from "./error-codes.js";
import { makeRequestId, type RequestObserver } from "./observe-requests.js";
import { allowAt } from "./routes.js";
import { SECURITY_HEADERS } from "./security-headers.js";

/** The largest head of a request: its target, and the names and values of its headers, in bytes. */
export const HEADERS_LIMIT = 16 * 1024;

interface Refusal {
  readonly code: WireErrorCode;
  readonly message: string;
  readonly headers?: Headers;
}

/**
 * Answers what never becomes a request for the application: Node's own answers to malformed, late or oversized
 * heads have another shape, or no body at all.
 */
export function refuseBelowApp(server: Server, app: PetstoreApp): void {
  server.on("clientError", (error: ClientError, socket: Socket) => {
    refuse(socket, diagnose(error, app), app.observer);
  });
  server.on("connect", ({ url = "" }: IncomingMessage, socket: Socket) => {
    // Node has let go of this socket: an error on it would end the process.
    socket.on("error", () => {});
    refuse(socket, methodUnknown(app, url), app.observer);
  });
}

interface ClientError extends Error {
  readonly code?: string;
  /** What was received last, and at which byte of it reading failed. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

function diagnose(error: ClientError, app: PetstoreApp): Refusal {
  switch (error.code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { code: "request_timeout", message: "The request took too long to arrive; send it again." };
    case "HPE_HEADER_OVERFLOW":
      return { code: "headers_too_large", message: `The head must be at most ${HEADERS_LIMIT} bytes long.` };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { code: "body_too_large", message: "The chunks of the body carry too many extensions." };
  }
  const target = error.code === "HPE_INVALID_METHOD" ? targetOf(error) : undefined;
  if (target !== undefined) return methodUnknown(app, target);
  return { code: "malformed_request", message: "The request is not well-formed HTTP/1.1 (RFC 9112)." };
}

/** The target of a request that begins as one does, with a method (a token, RFC 9110) that only Node does not know. */
function targetOf({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ClientError): string | undefined {
  const line = rawPacket.subarray(rawPacket.lastIndexOf("\n", bytesParsed) + 1).toString("latin1");
  return /^[!#$%&'*+.^`|~\w-]+ (\S+) HTTP\//.exec(line)?.[1];
}

function methodUnknown(app: PetstoreApp, target: string): Refusal {
  const [path = ""] = target.split("?");
  return {
    code: "method_not_allowed",
    message: "This method is not known; Allow names those that are.",
    headers: { Allow: allowAt(app.router, path) ?? (allowAt(app.router, "*") as string) },
  };
}

/** What Node keeps on a socket, and its own handler of client errors looks at. */
interface ServedSocket extends Socket {
  /** The response that is being worked on or sent: of pipelined requests that of the first. */
  readonly _httpMessage?: ServerResponse | null;
  /** `incoming` is the request that is being read, or was read last. */
  readonly parser?: { readonly incoming: IncomingMessage | null } | null;
}

function refuse(socket: Socket, refusal: Refusal, observer: RequestObserver): void {
  // What still arrives goes nowhere, least of all to the application: what was refused must not be done. It is read
  // all the same, because closing with bytes unread would reset the connection, and the answer with it.
  socket
    .removeAllListeners("end")
    .removeAllListeners("data")
    .on("data", () => {});
  answerInTurn(socket, refusal, observer);
}

/** Answers after the answers that are due, as pipelined requests are answered in order; no request gets two. */
function answerInTurn(socket: ServedSocket, refusal: Refusal, observer: RequestObserver): void {
  const { _httpMessage: response, parser } = socket;
  if (response && (response.req.complete || response.headersSent)) {
    response.once("close", () => answerInTurn(socket, refusal, observer));
  } else if (!response && parser?.incoming?.complete === false) {
    // The request whose body failed has its answer already.
    socket.destroy();
  } else if (socket.writable) {
    answer(socket, refusal, observer);
  }
}

/** How long an answer may take to be read before its connection is cut, in milliseconds. */
const LINGER = 1000;

function answer(socket: Socket, { code, message, headers }: Refusal, observer: RequestObserver): void {
  const text = errorBody(code, message);
  const status = STATUS_OF_CODE[code];
  const requestId = makeRequestId();
  const all = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    "X-Request-Id": requestId,
    ...SECURITY_HEADERS,
    Connection: "close",
    Date: new Date().toUTCString(),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`);
  observer.requestRefused({ requestId, status, code, client: socket.remoteAddress });
  setTimeout(() => socket.destroy(), LINGER).unref();
}
