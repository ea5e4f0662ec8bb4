import type { Middleware, ParameterizedContext } from "koa";
import type { ApiKey } from "../../application/ports/key-verifier.js";
import type { WireErrorCode } from "./http-error.js";
import type { Operation } from "./operation.js";

/** What the middleware of a request share; `identify.ts` creates it. */
export interface State {
  readonly requestId: string;
  /** The operation at the path and method of the request. */
  route: Operation | undefined;
  /** The same, once the request has passed all checks before it. */
  operation: Operation | undefined;
  /** The request's key, even an expired one; undefined outside /v1. */
  key: ApiKey | undefined;
  /** The code of the error in the response. */
  errorCode: WireErrorCode | undefined;
}

export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;
