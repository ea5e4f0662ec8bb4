import type Router from "@koa/router";
import type { Middleware } from "koa";
import { original } from "./original.js";

// `router.routes()` for the dispatch in `adapters/http/operations/router.js`, which answers what no route takes.
const own = await original("adapters/http/operations/router.js");

export const { allowAt, createRouter } = own;

export function dispatch(router: Router, hint: string): Middleware {
  const routes = router.routes() as unknown as Middleware;
  const unrouted: Middleware = own.dispatch(router, hint);
  return (ctx, next) => routes(ctx, () => unrouted(ctx, next));
}
