import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import { isPetstoreError } from "../../../domain/errors.js";
import { setFixedHeaders } from "../answer/answer.js";
import { answerError, describeError, fillInError, INTERNAL_ERROR } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Context, Handler } from "../context.js";
import type { FinishedRequest } from "../events.js";
import { METHODS } from "../operations/route-table.js";
import type { Routes } from "../operations/router.js";
import { originForm, pathOf, prefixOf } from "../request-target.js";

/** Gives the address of the client; undefined if the client has gone. */
export type ClientAddress = (req: IncomingMessage) => string | undefined;

/** The address at the other end of the connection: the client's, or that of the proxy in front. */
export const connectionAddress: ClientAddress = (req) => req.socket.remoteAddress;

interface Observed {
  readonly routes: Routes;
  readonly clientAddress: ClientAddress;
  readonly log: Logger;
}

/**
 * The outermost middleware: gives each request its id and its route, turns every error that a later handler throws into
 * an answer, and reports the request.
 */
export function observeRequests({ routes, clientAddress, log }: Observed): Handler {
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
    ctx.app.emit("requestStarted");
    try {
      await next();
      if (!state.isOurs) fillInError(ctx);
    } catch (error) {
      const described = describeError(error, ctx);
      answerError(ctx, described);
      logCause(log, state.requestId, error, described.code);
    } finally {
      ctx.app.emit("requestFinished", finished(ctx, clientAddress(req)));
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
