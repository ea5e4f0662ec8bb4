import Router from "@koa/router";
import type { Middleware, ParameterizedContext } from "koa";
import type { ApiKey } from "../../application/ports/key-verifier.js";
import { HttpError, type WireErrorCode } from "./http-error.js";
import { readBody } from "./json/read-body.js";

/** An operation of `openapi.yaml`, which `app.ts` routes, limits, logs and measures. */
export interface Operation {
  /** The `operationId`. */
  readonly id: string;
  /** `get` implies HEAD; the body of a `post` is in `ctx.request.body`, as text. */
  readonly method: "get" | "post";
  /** In the syntax of @koa/router. */
  readonly path: string;
  /** Headers of every response, whatever its status, that announce the removal. */
  readonly deprecation?: Readonly<Record<string, string>>;
  /** Returns the body of the response, as JSON. */
  handle(ctx: Context): string | Promise<string>;
}

/** The settings of `settings.ts` that the API depends on. */
export interface AppSettings {
  /** The origin that makes links absolute, without a trailing slash. */
  readonly publicUrl?: string | undefined;
  readonly corsOrigins?: readonly string[] | undefined;
  readonly trustProxy?: readonly string[] | undefined;
  readonly rateLimit?: { readonly requests: number; readonly seconds: number } | undefined;
  readonly maxInFlight: number;
  readonly getPet: "served" | "removed";
  readonly readOnly: boolean;
}

/** The state that the middleware of a request share. */
export interface State {
  readonly requestId: string;
  /** The request's operation, even if the request is rejected before it runs. */
  operation?: Operation;
  /** The request's key, even an expired one; undefined outside /v1. */
  key?: ApiKey | undefined;
  errorCode?: WireErrorCode;
}

export type Context = ParameterizedContext<State>;
export type Handler = Middleware<State>;

/** The methods of the API, as `Allow` lists them. */
export const METHODS = ["GET", "HEAD", "OPTIONS", "POST"];

/** Finds the operation of a request, which `runOperation` runs once the request is accepted. */
export function routeOperations(operations: readonly Operation[]): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const operation of operations) {
    router[operation.method](operation.path, (ctx, next) => {
      ctx.state.operation = operation;
      ctx.set(operation.deprecation ?? {});
      return next();
    });
  }
  return router;
}

/** Runs the operation. Rejects requests beyond the limit at once, to protect the latency of the others. */
export function runOperation(maxInFlight: number): Handler {
  let inFlight = 0;
  return async (ctx, next) => {
    const { operation } = ctx.state;
    if (!operation) return next();
    const { accept = "*/*" } = ctx.req.headers;
    if (accept !== "*/*" && !ctx.accepts(OFFERED)) throw NOT_ACCEPTABLE;
    // A request whose body is still arriving does not count as in flight.
    if (operation.method === "post") await readBody(ctx);
    if (inFlight >= maxInFlight) throw OVERLOADED;
    inFlight += 1;
    try {
      ctx.body = await operation.handle(ctx);
    } finally {
      inFlight -= 1;
    }
  };
}

/** Responds where no route matched: 204 to OPTIONS, 405 to other methods of a known path, otherwise 404. */
export function answerUnrouted(hint: string): Handler {
  return (ctx) => {
    const isOptions = ctx.method === "OPTIONS";
    // The routes that @koa/router matched by path, whatever their method.
    const matched: readonly { readonly methods: readonly string[] }[] = ctx.matched ?? [];
    // `OPTIONS *` is about the whole service.
    const methods = isOptions && ctx.url === "*" ? METHODS : matched.flatMap(({ methods }) => methods);
    if (methods.length === 0) {
      const advice = /[^/]\/$/.test(ctx.path) ? "remove the trailing slash." : hint;
      throw new HttpError("route_not_found", `Nothing exists at this path; ${advice}`);
    }
    const Allow = [...new Set([...methods, "OPTIONS"])].sort().join(", ");
    const message = "Method not allowed; see the Allow header.";
    if (!isOptions) throw new HttpError("method_not_allowed", message, { Allow });
    ctx.status = 204;
    ctx.set("Allow", Allow);
  };
}

/** An Accept range with a charset matches only a type with a charset. */
const OFFERED = ["application/json", "application/json;charset=utf-8"];

const NOT_ACCEPTABLE = new HttpError("not_acceptable", "Allow application/json in the Accept header.");
const OVERLOADED = new HttpError("overloaded", "Too many requests are in flight; try again later.");
