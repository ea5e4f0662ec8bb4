import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ErrorAnswer, type WireErrorCode } from "../answer/error-codes.js";
import { FIXED_HEADERS, JSON_TYPE } from "../answer/fixed-headers.js";
import type { KoaApp } from "../koa-app.js";

/** The largest head of a request: its target, and the names and values of its headers, in bytes. */
export const HEADERS_LIMIT = 16 * 1024;

/** The most headers of a request. */
export const MOST_HEADERS = 200;

/** Why Node's parser took no more bytes, as the event `clientError` tells. */
export interface ClientError extends Error {
  readonly code?: string;
  /** The place at which reading failed, in what the parser got last. */
  readonly bytesParsed?: number;
}

/** The time limit of a head or of a request, which `http-server.ts` sets, is over. */
export const LATE = refusal("request_timeout", "The request took too long to arrive; send it again.");
/** A body has more than anybody reads, or drops (`request.ts`). */
export const BODY_ENDLESS = refusal("body_too_large", "The body comes in too many pieces, or does not end.");
export const TOO_MANY_HEADERS = refusal("headers_too_large", `Send at most ${MOST_HEADERS} headers.`);
export const MALFORMED = refusal("malformed_request", "The request is not well-formed HTTP/1.1 (RFC 9112).");
const HEAD_TOO_LARGE = refusal("headers_too_large", `The head must be at most ${HEADERS_LIMIT} bytes long.`);
const CHUNKS_TOO_LARGE = refusal("body_too_large", "The chunks of the body carry too many extensions.");
const METHOD_UNKNOWN = "This method is not known; Allow names those that are.";

function refusal(code: WireErrorCode, message: string, headers = {}): ErrorAnswer {
  return new ErrorAnswer(code, message, { ...headers, Connection: "close" });
}

/**
 * The answer to bytes that Node's parser did not take: one for each kind of fault. Each closes its connection.
 *
 * @param rest what arrived from the fault on
 */
export function refusalOf(code: string | undefined, rest: Buffer | undefined, allow: string): ErrorAnswer {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return LATE;
    case "HPE_HEADER_OVERFLOW":
      return HEAD_TOO_LARGE;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return CHUNKS_TOO_LARGE;
    case "HPE_INVALID_METHOD":
      return isRequestLine(rest)
        ? refusal("method_not_allowed", METHOD_UNKNOWN, { Allow: allow })
        : MALFORMED;
    default:
      return MALFORMED;
  }
}

/** How many bytes behind the fault tell an unknown method from bytes that are no HTTP. */
const LOOK = 128;

/** Whether an unknown method goes on here: the rest of a token, a target, and, if it fits in, the version (RFC 9112, section 3). */
function isRequestLine(rest: Buffer | undefined): boolean {
  const seen = rest?.toString("latin1", 0, LOOK) ?? "";
  return /^[!#$%&'*+.^`|~\w-]* [!-~]+(?: HTTP\/\d|$)/.test(seen);
}

/** Writes a refusal, and ends the connection. Node has no response for what never became a request. */
export function writeRefusal(
  socket: Socket,
  { code, status, body, headers }: ErrorAnswer,
  app: KoaApp,
  toHead: boolean,
): void {
  if (!socket.writable) return;
  const requestId = randomUUID();
  const all = {
    ...FIXED_HEADERS,
    ...JSON_TYPE,
    ...headers,
    "Content-Length": Buffer.byteLength(body),
    "X-Request-Id": requestId,
    Date: new Date().toUTCString(),
  };
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const [name, value] of Object.entries(all)) head += `${name}: ${value}\r\n`;
  socket.write(`${head}\r\n${toHead ? "" : body}`);
  socket.destroySoon();
  app.emit("requestRefused", { requestId, status, code, client: socket.remoteAddress });
}
