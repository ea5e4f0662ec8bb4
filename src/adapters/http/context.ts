import type { Middleware, ParameterizedContext } from "koa";
import type { ApiKey } from "../../application/ports/key-verifier.js";
import type { WireErrorCode } from "./http-error.js";

/** What the middleware of a request share; `identify.ts` creates it. */
export interface State {
  readonly requestId: string;
  /** The operation at the path and method of the request. */
  route?: Operation;
  /** The same, once the request has passed all checks before it. */
  operation?: Operation;
  /** The request's key, even an expired one; undefined outside /v1. */
  key?: ApiKey | undefined;
  /** The code of the error in the response. */
  errorCode?: WireErrorCode;
}

export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;

/** An operation of `openapi.yaml`. Whoever lists it in `app.ts` gets it routed, limited, logged and measured. */
export interface Operation {
  /** The `operationId`. */
  readonly id: string;
  /** `get` implies HEAD; the body of a `post` is in `ctx.request.body`, as text. */
  readonly method: "get" | "post";
  /** In the syntax of @koa/router. */
  readonly path: string;
  /** The headers that announce its removal, in every response, whatever its status. */
  readonly deprecation?: Readonly<Record<string, string>>;
  /** Returns the body of the response, as JSON. */
  handle(ctx: Context): string | Promise<string>;
}
