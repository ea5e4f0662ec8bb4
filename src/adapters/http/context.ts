import type { Middleware, ParameterizedContext } from "koa";
import type { AcceptedKey } from "../../application/ports/key-verifier.js";
import type { WireErrorCode } from "./answer/error-codes.js";

/** What the middleware of one request tells each other. */
export interface State {
  /** The key the request was sent with; set on everything under /v1 once it is authenticated. */
  key: AcceptedKey;
  /** Names the request in the log; a header of every answer. */
  requestId: string;
  /** The code of the error that was answered; undefined where none was. */
  errorCode: WireErrorCode | undefined;
  /** The Content-Length of the answer; undefined where it has none. */
  bytes: number | undefined;
  /** Lines of headers that every answer to this request carries, errors included. */
  lines: string;
}

/** Koa's; asked for `ctx.request.path`, not `ctx.path`, which it would look up by name each time. */
export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;
