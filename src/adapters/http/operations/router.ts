import Router, { type RouterMiddleware } from "@koa/router";
import { HttpError } from "../answer/error-codes.js";
import type { Context, Handler, State } from "../context.js";
import { requireJsonAccepted } from "../middleware/accept.js";

interface Route {
  readonly operationId: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handler: Handler;
}

/** Builds the table of routes once: the operations, and the public documents by path. */
export function createRouter(
  operations: readonly Route[],
  documents: ReadonlyMap<string, Handler>,
): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const { method, path, operationId, handler } of operations) {
    const handle: Handler = (ctx, next) => requireJsonAccepted(ctx, () => handler(ctx, next));
    router.register(path, [method], handle as RouterMiddleware<State>, { name: operationId });
  }
  for (const [path, handler] of documents) router.get(path, handler as RouterMiddleware<State>);
  return router;
}

/**
 * Dispatches to the routes. Answers OPTIONS itself; a request without a route gets 405 if its path has other methods,
 * otherwise 404 with `hint`.
 */
export function dispatch(router: Router<State>, hint: string): Handler {
  const find = findRoutes(router.stack);
  // `router.routes()` composes the handlers anew for each request, which took longer than the handlers do.
  return (ctx, next) => {
    const { path, method } = ctx.request;
    const found = find(path, method);
    if (!found) return next().then(() => answerUnrouted(ctx, router, hint));
    const { layer, captures } = found;
    ctx.routerName = layer.name;
    ctx.routerPath = layer.path;
    if (captures.length > 0) ctx.params = layer.params(path, captures);
    return (layer.stack[0] as Handler)(ctx, next);
  };
}

type Layer = Router<State>["stack"][number];

/** A route that has the path and the method of a request, with the values of its parameters. */
interface Found {
  readonly layer: Layer;
  readonly captures: string[];
}

/** `router.match` tries the expression of every route; most paths have no parameter, and are found by a look-up. */
function findRoutes(layers: readonly Layer[]): (path: string, method: string) => Found | undefined {
  const plain = new Map<unknown, Found[]>();
  const withParameters: Layer[] = [];
  for (const layer of layers) {
    if (layer.paramNames.length > 0) withParameters.push(layer);
    else plain.set(layer.path, [...(plain.get(layer.path) ?? []), { layer, captures: [] }]);
  }
  return (path, method) => {
    const atPath = plain.get(path);
    if (atPath) return atPath.find(({ layer }) => layer.methods.includes(method));
    for (const layer of withParameters) {
      const captures = layer.captures(path);
      if (captures.length > 0 && layer.methods.includes(method)) return { layer, captures };
    }
    return undefined;
  };
}

/** The value of `Allow` at a path, or for the whole service at `*`; undefined if the path has no route. */
export function allowAt(router: Router<State>, path: string): string | undefined {
  const layers = path === "*" ? router.stack : router.match(path, "").path;
  if (layers.length === 0) return undefined;
  const methods = new Set(layers.flatMap((layer) => layer.methods));
  return [...methods.add("OPTIONS")].sort().join(", ");
}

function answerUnrouted(ctx: Context, router: Router<State>, hint: string): void {
  // The application in which this one is mounted has answered.
  if (ctx.status !== 404 || ctx.body !== undefined) return;
  const allow = allowAt(router, ctx.request.path);
  if (allow === undefined) throw routeNotFound(ctx.request.path, hint);
  const headers = { Allow: allow };
  if (ctx.request.method !== "OPTIONS") {
    throw new HttpError(
      "method_not_allowed",
      "This method is not allowed here; Allow names those that are.",
      headers,
    );
  }
  ctx.status = 204;
  ctx.set(headers);
}

function routeNotFound(path: string, hint: string): HttpError {
  const mend = /[^/]\/$/.test(path) ? "paths end without a slash: leave it out." : hint;
  return new HttpError("route_not_found", `There is nothing at this path; ${mend}`);
}
