import type { Middleware, ParameterizedContext } from "koa";
import type { AcceptedKey } from "../../application/ports/key-verifier.js";
import type { WireErrorCode } from "./answer/error-codes.js";

/** What the middleware of one request tells each other. */
export interface State {
  /** The key the request was sent with; set on everything under /v1 once it is authenticated. */
  key: AcceptedKey;
  /** Names the request in the log; a header of every answer. */
  requestId: string;
  /** The code of the error that was answered; undefined if none was. */
  errorCode: WireErrorCode | undefined;
}

/** Koa's. `ctx.request.path` and `ctx.response.body` are quicker than `ctx.path`, which looks them up by name. */
export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;
