import type { Middleware, ParameterizedContext } from "koa";
import type { ApiKey } from "../../application/ports/key-verifier.js";
import type { WireErrorCode } from "./http-error.js";

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

/** An operation of `openapi.yaml`. Whoever lists it in `app.ts` gets it routed, limited, logged and measured. */
export interface Operation {
  /** The `operationId`. */
  readonly id: string;
  /** `get` implies HEAD; the body of a `post` is in `ctx.request.body`, as text. */
  readonly method: "get" | "post";
  /** In the syntax of @koa/router. */
  readonly path: string;
  /** Announced in every response, whatever its status. */
  readonly deprecation?: Deprecation;
  handle(ctx: Context): void | Promise<void>;
}

export interface Deprecation {
  /** RFC 9745. */
  readonly since: Date;
  /** When it may be removed (RFC 8594). */
  readonly sunset: Date;
  /** The path, with its query, of what replaces it. */
  readonly successor: string;
}
