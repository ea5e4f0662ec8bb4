import type { Context } from "./context.js";

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
