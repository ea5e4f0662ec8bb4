import type { Middleware, ParameterizedContext } from "koa";
import type { ApiKey } from "../../application/ports/key-verifier.js";
import type { HeaderList } from "./answer/error-codes.js";
import type { OperationId } from "./operations/route-table.js";

/** What the middleware of one request share. */
export interface State {
  /** When the application was called, in milliseconds of `performance.now()`. */
  arrivedAt?: number;
  /** The id of the request in the log, and in a header of every answer. */
  requestId: string;
  /** The route of the path and the method; undefined if there is none. */
  route: Route | undefined;
  /** Whether the handler of the route was reached; otherwise the request was refused before. */
  isRouted?: boolean;
  /** The headers of every answer to this request beside the fixed ones. */
  headers: HeaderList;
  /** The key of the request. Authentication sets it on everything under /v1. */
  key: ApiKey;
  /** The code of the error that the answer reports; undefined if it reports none. */
  errorCode?: string;
  /** Whether nobody but us looks at the answer: no other middleware is there, or none meets this request any more. */
  isOurs?: boolean;
  /** The answer, if `isOurs`. Otherwise it is in `ctx.status`, `ctx.body` and the headers. */
  answer?: Answer;
}

/** An answer that is ready to be written. */
export interface Answer {
  readonly status: number;
  readonly headers: string[];
  readonly body?: string | Buffer | undefined;
  /** The length of the body, in bytes. */
  readonly length: number;
}

/** A path with a method, and what answers it: an operation, or a document. */
export interface Route {
  /** Undefined for a document. */
  readonly operationId?: OperationId;
  readonly method: string;
  readonly path: string;
  readonly handle: Handler;
  /** The headers of every answer of the operation. `prefix` is that of an application mounted in another. */
  readonly headers?: (prefix: string) => HeaderList;
  /** The values of the parameters in the path. */
  readonly parameters?: ((path: string) => Record<string, string>) | undefined;
}

/** Koa's context. Its getters are functions behind functions: `ctx.req.headers` is quicker than `ctx.get`. */
export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;
