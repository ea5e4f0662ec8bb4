import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { allowAt } from "../operations/router.js";
import type { PetstoreApp } from "../petstore-app.js";
import { isLetGo, letGo } from "./node-internals.js";
import { pipelineOf } from "./pipelining.js";
import { type Known, readHead, refusalHeaders } from "./refusal-headers.js";
import { type Refusal, refuseOnSocket } from "./refuse-on-socket.js";

/** The largest head of a request: its target, and the names and values of its headers, in bytes. */
export const HEADERS_LIMIT = 16 * 1024;

/**
 * Answers malformed, late and oversized heads, which never become requests for the application. Node's own answers to
 * them have another shape, or no body at all. `http-server.ts` sets the time limits; `refuse-malformed.ts` refuses the
 * malformed requests that Node lets pass.
 */
export function refuseBelowApp(server: Server, app: PetstoreApp): void {
  const headersOf = refusalHeaders(app);
  server.on("clientError", (error: ClientError, socket: Socket) => {
    if (isLetGo(socket)) return;
    // Nobody answers what follows a request that closes the connection (RFC 9112, section 9.6).
    if (error.code === "HPE_CLOSED_CONNECTION") {
      letGo(socket);
      return;
    }
    const request = knownOf(error, socket);
    const { headers, ...refusal } = diagnose(error, request.url, app);
    const toHead = request.method === "HEAD";
    refuseOnSocket(
      socket,
      { ...refusal, headers: { ...headers, ...headersOf(request) }, toHead },
      app.observer,
    );
  });
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    // Node has let go of this socket: an error on it would end the process.
    socket.on("error", () => {});
    const { headers, ...refusal } = methodUnknown(app, request.url ?? "");
    refuseOnSocket(socket, { ...refusal, headers: { ...headers, ...headersOf(request) } }, app.observer);
  });
}

interface ClientError extends Error {
  readonly code?: string;
  /** The bytes that arrived last, and the place in them at which reading failed. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/**
 * The known facts of a refused request: those of the request whose body failed, or else those in the bytes that arrived
 * last. A late head shows none, not even whether it asks for a deprecated operation: Node's parser shows nothing before
 * the head is whole, and a listener for the bytes would make Node read every connection in a slower way.
 */
function knownOf({ code, rawPacket, bytesParsed = 0 }: ClientError, socket: Socket): Known {
  const response = pipelineOf(socket).answering;
  if (response && !response.req.complete) return response.req;
  const received = rawPacket?.toString("latin1") ?? "";
  // A body may stand before the request line. The method is at the byte at which reading failed, or began
  // just before it.
  let start = Math.max(0, received.lastIndexOf("\r\n\r\n", bytesParsed - 4));
  if (code === "HPE_INVALID_METHOD") {
    start = bytesParsed;
    while (TOKEN_CHARACTER.test(received[start - 1] ?? " ")) start--;
  }
  return readHead(received.slice(start));
}

const TOKEN_CHARACTER = /[!#$%&'*+.^`|~\w-]/;

function diagnose({ code }: ClientError, url: string | undefined, app: PetstoreApp): Refusal {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { code: "request_timeout", message: "The request took too long to arrive; send it again." };
    case "HPE_HEADER_OVERFLOW":
      return { code: "headers_too_large", message: `The head must be at most ${HEADERS_LIMIT} bytes long.` };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { code: "body_too_large", message: "The chunks of the body carry too many extensions." };
  }
  // The bytes begin with a method (a token, RFC 9110), as a request does, but Node does not know the method.
  if (code === "HPE_INVALID_METHOD" && url !== undefined) return methodUnknown(app, url);
  return { code: "malformed_request", message: "The request is not well-formed HTTP/1.1 (RFC 9112)." };
}

function methodUnknown(app: PetstoreApp, url: string): Refusal {
  const [path = ""] = url.split("?");
  return {
    code: "method_not_allowed",
    message: "This method is not known; Allow names those that are.",
    headers: { Allow: allowAt(app.router, path) ?? (allowAt(app.router, "*") as string) },
  };
}
