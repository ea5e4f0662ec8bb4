import { randomUUID } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { FIXED_HEADERS, JSON_TYPE } from "../answer/answer.js";
import { type HeaderList, HttpError, type WireErrorCode } from "../answer/error-codes.js";
import { refuseBody } from "../body/request-body.js";
import type { PetstoreApp } from "../petstore-app.js";

/** The largest head of a request: its target, and the names and values of its headers, in bytes. */
export const HEADERS_LIMIT = 16 * 1024;

/** How long a refusal may take to be read before its connection is cut, in milliseconds. */
const LINGER = 1000;

/**
 * Answers malformed, late and oversized bytes, which never become requests for the application, and ends their
 * connection. Node's own answers to them have another shape, or no body at all. `http-server.ts` sets the time limits;
 * `refuse-malformed.ts` refuses the malformed requests that Node lets pass.
 *
 * @param latestOf gives the answer to the request that was read last on a connection
 */
export function refuse(
  server: Server,
  app: PetstoreApp,
  latestOf: (socket: Socket) => ServerResponse | undefined,
): void {
  function answerInTurn(socket: Socket, refusal: HttpError, toHead = false): void {
    const latest = latestOf(socket);
    if (!latest || (latest.writableFinished && latest.req.complete)) send(socket, refusal, toHead, app);
    // The request whose body fails has its answer.
    else if (latest.writableFinished) socket.destroy();
    else {
      if (!latest.req.complete) refuseBody(latest.req, refusal);
      else if (refusal === LATE) {
        // The client sends slowly, and reads no answer.
        app.emit("connectionCut", "stalled");
        socket.destroy();
        return;
      }
      // Pipelined requests are answered in order.
      latest.once("close", () => answerInTurn(socket, refusal, toHead));
    }
  }

  server.on("clientError", (error: ClientError, socket: Socket) => {
    // Nobody answers what follows a request that closes the connection (RFC 9112, section 9.6).
    if (error.code === "HPE_CLOSED_CONNECTION") return;
    answerInTurn(socket, refusalOf(error, app), error.rawPacket?.toString("latin1", 0, 5) === "HEAD ");
  });
  server.on("connect", ({ url = "" }: IncomingMessage, socket: Socket) => {
    // Node has let go of this socket: an error on it would end the process.
    socket.on("error", () => {});
    answerInTurn(socket, methodUnknown(app, url));
  });
}

function send(socket: Socket, refusal: HttpError, toHead: boolean, app: PetstoreApp): void {
  if (!socket.writable) return;
  const requestId = randomUUID();
  const { code, status, body } = refusal;
  const headers = FIXED_HEADERS.concat(
    ...[JSON_TYPE, refusal.headers],
    ...["Content-Length", String(Buffer.byteLength(body))],
    ...["X-Request-Id", requestId, "Date", new Date().toUTCString()],
  );
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  socket.end(`${head}\r\n${toHead ? "" : body}`);
  setTimeout(() => socket.destroy(), LINGER).unref();
  app.emit("requestRefused", { requestId, status, code, client: socket.remoteAddress });
}

interface ClientError extends Error {
  readonly code?: string;
  /** The bytes that arrived last, and the place in them at which reading failed. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const LATE = refusal("request_timeout", "The request took too long to arrive; send it again.");
const HEAD_TOO_LARGE = refusal("headers_too_large", `The head must be at most ${HEADERS_LIMIT} bytes long.`);
const CHUNKS_TOO_LARGE = refusal("body_too_large", "The chunks of the body carry too many extensions.");
const MALFORMED = refusal("malformed_request", "The request is not well-formed HTTP/1.1 (RFC 9112).");

function refusal(code: WireErrorCode, message: string, headers: HeaderList = []): HttpError {
  return new HttpError(code, message, headers.concat("Connection", "close"));
}

function refusalOf({ code, rawPacket, bytesParsed = 0 }: ClientError, app: PetstoreApp): HttpError {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return LATE;
    case "HPE_HEADER_OVERFLOW":
      return HEAD_TOO_LARGE;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return CHUNKS_TOO_LARGE;
    case "HPE_INVALID_METHOD": {
      // Node has stopped within the method, or right behind it. Bytes that begin with a token (RFC 9110) are a request.
      const received = rawPacket?.toString("latin1") ?? "";
      const begun = /[!#$%&'*+.^`|~\w-]*$/.exec(received.slice(0, bytesParsed))?.[0] ?? "";
      const [, url] = /^[!#$%&'*+.^`|~\w-]+ (\S+) HTTP\//.exec(begun + received.slice(bytesParsed)) ?? [];
      return url === undefined ? MALFORMED : methodUnknown(app, url);
    }
    default:
      return MALFORMED;
  }
}

function methodUnknown({ allowAt }: PetstoreApp, url: string): HttpError {
  const [path = ""] = url.split("?");
  const allow = allowAt(path) ?? (allowAt("*") as string);
  return refusal("method_not_allowed", "This method is not known; Allow names those that are.", [
    "Allow",
    allow,
  ]);
}
