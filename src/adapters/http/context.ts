import type { Middleware, ParameterizedContext } from "koa";
import type { ApiKey } from "../../application/ports/key-verifier.js";

/** What the middleware of one request share; `identify.ts` makes it. */
export interface State {
  /** The id of the request in the log, and in a header of every answer. */
  readonly requestId: string;
  /** When the application got the request, in milliseconds of `performance.now()`. */
  readonly arrivedAt: number;
  /** What answers the path and the method; undefined if there is nothing at the path. */
  route: Target | undefined;
  /** Whether the handler of the route was reached; otherwise the request was refused before. */
  isRouted: boolean;
  /** The key of the request, even if it has expired; undefined outside /v1. */
  key: ApiKey | undefined;
  /** The code of the error that the answer reports; undefined if it reports none. */
  errorCode: string | undefined;
}

export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;

/** What answers a request. */
export interface Target {
  /** The `operationId` of the API document; undefined for what is no operation. */
  readonly operationId?: string;
  /** If the operation is deprecated: the headers that say so, which every answer of it has, whatever its status. */
  readonly deprecated?: Readonly<Record<string, string>>;
  /** Whether the operation needs a body, whose text is in `ctx.request.body` once `handle` is called. */
  readonly needsBody?: boolean;
  readonly handle: Handler;
}

/** A target at a path and a method. */
export interface Route extends Target {
  /** `get` answers HEAD, too. */
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** In the syntax of `@koa/router`, e.g. `/v1/pets/:petId`. */
  readonly path: string;
}
