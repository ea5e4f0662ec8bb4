import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import { isPetstoreError } from "../../../domain/errors.js";
import { setFixedHeaders } from "../answer/answer.js";
import { answerError, describeError, fillInError, INTERNAL_ERROR } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Context, Handler } from "../context.js";
import { METHODS } from "../operations/route-table.js";
import type { Routes } from "../operations/router.js";
import { originForm, pathOf, prefixOf } from "../request-target.js";

/**
 * Hears of every request as it happens, for the log (`request-log.ts`) and the metrics (`metrics/metrics.ts`). Must
 * not throw, and must be quick.
 */
export interface RequestObserver {
  requestStarted?(): void;
  requestFinished?(request: FinishedRequest): void;
  /** Bytes never became a request, since they were no HTTP, too large or too late. */
  requestRefused?(request: RefusedRequest): void;
  /**
   * A request got 503 since there were too many. It has no details: there may be many such requests a second.
   */
  requestShed?(): void;
  /** The service has closed a connection, and given no answer. There may be many such connections a second. */
  connectionCut?(reason: CutReason): void;
}

/**
 * `unread`: a client sent too many requests without reading the answers. `stalled`: a client did not read an answer for
 * a minute. `excess`: there were too many connections.
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

interface Observed {
  readonly routes: Routes;
  readonly observer: RequestObserver;
  readonly clientAddress: ClientAddress;
  readonly log: Logger;
}

/**
 * The outermost middleware: gives each request its id and its route, turns every error that a later handler throws into
 * an answer, and reports the request to `observer`.
 */
export function observeRequests({ routes, observer, clientAddress, log }: Observed): Handler {
  return async (ctx, next) => {
    const { req, state } = ctx;
    req.url = originForm(req.url as string);
    state.requestId = requestIdOf(req.headers["x-request-id"]);
    state.headers = ["X-Request-Id", state.requestId];
    state.route = routes.find(req.method as string, pathOf(req));
    if (state.route?.headers) state.headers = state.headers.concat(state.route.headers(prefixOf(ctx)));
    // Nobody sets it if this application is mounted in another.
    state.arrivedAt ??= performance.now();
    if (!state.isOurs) setFixedHeaders(ctx);
    if (!state.refusal) observer.requestStarted?.();
    try {
      await next();
      if (!state.isOurs) fillInError(ctx);
    } catch (error) {
      const described = describeError(error, ctx);
      answerError(ctx, described);
      logCause(log, state.requestId, error, described.code);
    } finally {
      if (state.refusal) observer.requestShed?.();
      else observer.requestFinished?.(finished(ctx, clientAddress(req)));
    }
  };
}

/** The client's own id if it is safe in a log, since nothing checks it later; otherwise a new one. */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[\w.-]{1,128}$/.test(header) ? header : randomUUID();
}

function finished({ state, req, res, response }: Context, client: string | undefined): FinishedRequest {
  const { method = "", socket } = req;
  return {
    requestId: state.requestId,
    operation: (state.isRouted && state.route?.operationId) || "none",
    method: METHODS.includes(method) ? method : "other",
    status: res.statusCode,
    code: state.errorCode,
    key: state.key?.name,
    client,
    seconds: (performance.now() - (state.arrivedAt ?? 0)) / 1000,
    bytes: state.answer ? state.answer.length : (response.length ?? 0),
    aborted: socket.readableEnded || socket.destroyed,
  };
}

/** Logs the cause of an error, which only the operator may know. */
function logCause(log: Logger, requestId: string, error: unknown, code: string): void {
  if (isPetstoreError(error)) {
    if (error.cause) log.error({ requestId, err: error.cause, code }, "request failed");
  } else if (code === INTERNAL_ERROR.code) {
    log.error({ requestId, err: error, code }, "request failed unexpectedly");
  } else if (!(error instanceof HttpError) && !isExposed(error)) {
    log.error({ requestId, err: error, code }, "request refused by a middleware");
  }
}

/** Whether a client may read the message of an error that a middleware from npm throws. */
function isExposed(error: unknown): boolean {
  return error instanceof Error && "expose" in error && error.expose === true;
}
