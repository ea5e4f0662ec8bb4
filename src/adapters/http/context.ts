import type { Middleware, ParameterizedContext } from "koa";
import type { AcceptedKey } from "../../application/ports/key-verifier.js";

/** The state that the middleware of one request share. */
export interface State {
  /** The key of the request. Authentication sets it on everything under /v1. */
  key: AcceptedKey;
  /** The id of the request in the log, and in a header of every answer. */
  requestId: string;
  /** The code of the error that the answer reports; undefined if it reports none. */
  errorCode: string | undefined;
}

/** Koa's context. `ctx.request.path` is quicker than `ctx.path`, which Koa delegates by name. */
export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;
