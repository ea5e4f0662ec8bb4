import type { IncomingMessage } from "node:http";
import { arrivalOf, refusalOf } from "../arrival.js";
import type { Context, Handler } from "../context.js";
import { requestIdOf } from "../request-id.js";
import { traceIdOf } from "../trace-id.js";

/**
 * Hears of every request as it happens, for the log (`request-log.ts`) and the metrics (`metrics/metrics.ts`). Must
 * not throw, and must be quick.
 */
export interface RequestObserver {
  requestStarted(): void;
  requestFinished(request: FinishedRequest): void;
  /** Bytes never became a request, since they were no HTTP, too large or too late. */
  requestRefused(request: RefusedRequest): void;
  /**
   * A request got 503 since there were too many. It has no details: there may be many such requests a second.
   */
  requestShed(): void;
  /** The service has closed a connection, and given no answer. There may be many such connections a second. */
  connectionCut(reason: CutReason): void;
}

/**
 * `unread`: the service kept too much for clients that do not read. `stalled`: a client did not read an
 * answer for a minute. `excess`: there were far too many connections.
 */
export type CutReason = "unread" | "stalled" | "excess";

export interface RefusedRequest {
  readonly requestId: string;
  readonly status: number;
  /** The code of the error that the answer reports; undefined if it reports none. */
  readonly code: string | undefined;
  /** The address of the client, or of the proxy in front. */
  readonly client: string | undefined;
}

export interface FinishedRequest extends RefusedRequest {
  /** The `operationId`, or `none` if the request reached no operation. */
  readonly operation: string;
  /** A method that some path allows, or `other`. */
  readonly method: string;
  /** The name of the accepted key; undefined if there is none. */
  readonly key: string | undefined;
  /** The client's trace of which this request is a part (W3C Trace Context). */
  readonly traceId: string | undefined;
  /** From the end of the head of the request to the writing of the answer. */
  readonly seconds: number;
  /** The Content-Length of the answer; 0 if it has none. */
  readonly bytes: number;
  /** Whether the client had ended its side of the connection, or broken it, before the answer was made. */
  readonly aborted: boolean;
}

/** Gives the address of the client; undefined if the client has gone. */
export type ClientAddress = (req: IncomingMessage) => string | undefined;

/** The address at the other end of the connection: the client's, or that of the proxy in front. */
export const connectionAddress: ClientAddress = (req) => req.socket.remoteAddress;

/** The outermost middleware: gives each request its id, and reports it to `observer`. */
export function observeRequests(observer: RequestObserver, clientAddress: ClientAddress): Handler {
  return async (ctx, next) => {
    const start = arrivalOf(ctx.req);
    ctx.state.requestId = requestIdOf(ctx.req.headers["x-request-id"]);
    ctx.res.setHeader("X-Request-Id", ctx.state.requestId);
    observer.requestStarted();
    try {
      await next();
    } catch (error) {
      // Even the answer to an error failed. `onerror` answers already here, so that the log and the metrics
      // show that answer.
      ctx.onerror(error as Error);
    } finally {
      tell(observer, finished(ctx, clientAddress(ctx.req), (performance.now() - start) / 1000));
    }
  };
}

/** Calls an observer, whose failure must not cost the answer. */
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
  const { method = "", socket } = req;
  const refusal = refusalOf(req);
  const { traceparent } = req.headers;
  return {
    requestId: refusal?.requestId ?? state.requestId,
    operation: routerName ?? "none",
    method: METHODS.has(method) ? method : "other",
    status: refusal?.status ?? response.status,
    code: refusal?.code ?? state.errorCode,
    key: state.key?.name,
    traceId: traceparent === undefined ? undefined : traceIdOf(String(traceparent)),
    client,
    seconds,
    bytes: response.length ?? 0,
    aborted: socket.readableEnded || socket.destroyed,
  };
}

/** The router's mark on the context: the name of the route. */
interface Routed {
  readonly routerName?: string | undefined;
}

/** The methods that metrics distinguish, so that the number of labels stays bounded. */
const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS"]);
