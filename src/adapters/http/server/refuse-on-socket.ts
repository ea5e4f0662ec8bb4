import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { errorBody, type Headers, STATUS_OF_CODE, type WireErrorCode } from "../answer/error-codes.js";
import { SECURITY_HEADERS } from "../answer/security-headers.js";
import { noteRefusal } from "../arrival.js";
import type { RequestObserver } from "../middleware/observe-requests.js";
import { requestIdOf } from "../request-id.js";
import { letGo } from "./node-internals.js";
import { pipelineOf } from "./pipelining.js";

/** An answer to bytes that never became a request for the application. `refuse-below-app.ts` chooses it. */
export interface Refusal {
  readonly code: WireErrorCode;
  readonly message: string;
  readonly headers?: Headers;
  /** Whether it answers HEAD, and so has no body. */
  readonly toHead?: boolean;
}

/** Answers on a socket that Node reads no more requests from; ends the connection. */
export function refuseOnSocket(socket: Socket, refusal: Refusal, observer: RequestObserver): void {
  // The refused bytes must not reach the application.
  letGo(socket);
  answerInTurn(socket, refusal, observer);
}

/** Waits for the answers that are due, since pipelined requests are answered in order. No request gets two answers. */
function answerInTurn(socket: Socket, refusal: Refusal, observer: RequestObserver): void {
  const { answering: response, latest } = pipelineOf(socket);
  if (response && (response.req.complete || response.headersSent)) {
    response.once("close", () => answerInTurn(socket, refusal, observer));
  } else if (!response && latest?.complete === false) {
    // The request whose body failed has its answer already.
    socket.destroy();
  } else if (socket.writable) {
    answer(socket, refusal, observer, response);
  }
}

/** How long an answer may take to be read before its connection is cut, in milliseconds. */
const LINGER = 1000;

/** @param response of the request whose body failed, which the application serves and will report; or undefined */
function answer(
  socket: Socket,
  { code, message, headers, toHead }: Refusal,
  observer: RequestObserver,
  response: ServerResponse | undefined,
): void {
  const body = errorBody(code, message);
  const status = STATUS_OF_CODE[code];
  const requestId = String(
    response?.getHeader("X-Request-Id") ?? requestIdOf(response?.req.headers["x-request-id"]),
  );
  const fields: Headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: "close",
    "X-Request-Id": requestId,
    ...SECURITY_HEADERS,
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}`;
  socket.end(`${head}\r\n${toHead ? "" : body}`);
  if (response) noteRefusal(response.req, { status, code, requestId });
  else observer.requestRefused({ requestId, status, code, client: socket.remoteAddress });
  setTimeout(() => socket.destroy(), LINGER).unref();
}
