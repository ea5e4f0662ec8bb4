import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { WireErrorCode } from "../answer/error-codes.js";
import { arrivalOf } from "../arrival.js";
import type { Context, Handler } from "../context.js";

/** Is told of every request, as it happens: for the log and the metrics. Must not throw, and must be quick. */
export interface RequestObserver {
  requestStarted(): void;
  requestFinished(request: FinishedRequest): void;
  /** Of what never became a request, since it was no HTTP, too large or too late. */
  requestRefused(request: RefusedRequest): void;
  /** Of what was answered 503 since there were too many: many a second, so that no more is told of each. */
  requestShed(): void;
}

export interface RefusedRequest {
  readonly requestId: string;
  readonly status: number;
  /** The code of the error that was answered; undefined where the answer is none. */
  readonly code: WireErrorCode | undefined;
  /** The address of the client, or of the proxy in front. */
  readonly client: string | undefined;
}

export interface FinishedRequest extends RefusedRequest {
  /** The `operationId`, or `none` where the request reached no operation. */
  readonly operation: string;
  /** A method that some path knows, or `other`. */
  readonly method: string;
  /** The name of the key it was sent with; undefined where none was accepted. */
  readonly key: string | undefined;
  /** The trace that the client says this request belongs to (W3C Trace Context). */
  readonly traceId: string | undefined;
  /** From the end of the head of the request to the writing of the answer. */
  readonly seconds: number;
  /** The Content-Length of the answer; 0 where it has none. */
  readonly bytes: number;
}

/** The address of the client that a request came from; undefined where it has gone. */
export type ClientAddress = (req: IncomingMessage) => string | undefined;

/** The other end of the connection: the client, or the proxy in front. */
export const connectionAddress: ClientAddress = (req) => req.socket.remoteAddress;

/** The outermost middleware: gives each request its id, and tells `observer` of it. */
export function observeRequests(observer: RequestObserver, clientAddress: ClientAddress): Handler {
  return async (ctx, next) => {
    const start = arrivalOf(ctx.req);
    ctx.state.requestId = requestIdOf(ctx.req.headers["x-request-id"]);
    ctx.response.set("X-Request-Id", ctx.state.requestId);
    observer.requestStarted();
    try {
      await next();
    } finally {
      tell(observer, finished(ctx, clientAddress(ctx.req), (performance.now() - start) / 1000));
    }
  };
}

/** An observer that fails must not take the answer with it. */
function tell(observer: RequestObserver, request: FinishedRequest): void {
  try {
    observer.requestFinished(request);
  } catch (error) {
    process.emitWarning(error as Error);
  }
}

function finished(
  { state, req, response, routerName }: Context & Routed,
  client: string | undefined,
  seconds: number,
): FinishedRequest {
  const { method = "" } = req;
  const { traceparent } = req.headers;
  return {
    requestId: state.requestId,
    operation: routerName ?? "none",
    method: METHODS.has(method) ? method : "other",
    status: response.status,
    code: state.errorCode,
    key: state.key?.name,
    traceId: traceparent === undefined ? undefined : traceIdOf(String(traceparent)),
    client,
    seconds,
    bytes: response.length ?? 0,
  };
}

/** What the router leaves on the context: the name of the route it took. */
interface Routed {
  readonly routerName?: string | undefined;
}

/** The methods that metrics tell apart, so that their number stays bounded. */
const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

/** The client's own id, if it may be written to a log as it is: nothing checks it after this. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[\w.-]{1,128}$/.test(header) ? header : makeRequestId();
}

export function makeRequestId(): string {
  return randomUUID();
}

/** The trace id of a `traceparent` header (W3C Trace Context, section 3.2); undefined where it is malformed. */
export function traceIdOf(traceparent: string): string | undefined {
  const [, version, id] =
    /^([\da-f]{2})-([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/.exec(traceparent) ?? [];
  if (id === undefined || version === "ff" || /^0+$/.test(id)) return undefined;
  return version === "00" && traceparent.length !== 55 ? undefined : id;
}
