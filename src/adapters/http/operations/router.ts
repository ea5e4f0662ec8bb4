import Router, { type RouterMiddleware } from "@koa/router";
import { answer } from "../answer/answer.js";
import { answerError } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Context, Handler, Route, State } from "../context.js";
import { pathOf } from "../request-target.js";
import { acceptsJson, NOT_ACCEPTABLE } from "./accept.js";

/** The table of routes. */
export class Routes {
  private readonly router = new Router<State>({ sensitive: true, strict: true });
  private readonly byTarget = new Map<string, Route>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const { method, path, handle } = route;
      const name = `${method} ${path}`;
      this.router.register(path, [method], handle as RouterMiddleware<State>, { name });
      const layer = this.router.stack.at(-1) as Router<State>["stack"][number];
      const read = (path: string) => layer.params(path, layer.captures(path));
      const parameters = layer.paramNames.length > 0 ? read : undefined;
      for (const one of layer.methods) this.byTarget.set(`${one} ${path}`, { ...route, parameters });
    }
  }

  /** The route of a request. Most paths have no parameter: the router would try the expression of every route. */
  find(method: string, path: string): Route | undefined {
    const route = this.byTarget.get(`${method} ${path}`);
    return route ?? this.byTarget.get(this.router.match(path, method).pathAndMethod[0]?.name ?? "");
  }

  /** The value of `Allow` at a path, or for the whole service at `*`; undefined if the path has no route. */
  allowAt(path: string): string | undefined {
    const layers = path === "*" ? this.router.stack : this.router.match(path, "").path;
    if (layers.length === 0) return undefined;
    const methods = new Set(layers.flatMap((layer) => layer.methods));
    return [...methods.add("OPTIONS")].sort().join(", ");
  }
}

/**
 * Calls the handler of the route. Answers OPTIONS itself; a request without a route gets 405 if its path has other
 * methods, otherwise 404 with `hint`.
 */
export function dispatch(routes: Routes, hint: string): Handler {
  // `router.routes()` composes the handlers anew for each request, which takes a sixth of it.
  return (ctx, next) => {
    const { state, req } = ctx;
    const { route } = state;
    // The application in which this one is mounted may answer.
    if (!route) return next().then(() => answerUnrouted(ctx, routes, hint));
    state.isRouted = true;
    if (route.operationId && !acceptsJson(ctx)) return answerError(ctx, NOT_ACCEPTABLE);
    if (route.parameters) ctx.params = route.parameters(pathOf(req));
    return route.handle(ctx, next);
  };
}

function answerUnrouted(ctx: Context, routes: Routes, hint: string): void {
  if (ctx.status !== 404 || ctx.body !== undefined) return;
  const path = pathOf(ctx.req);
  const allow = routes.allowAt(path);
  if (allow === undefined) answerError(ctx, routeNotFound(path, hint));
  else if (ctx.req.method === "OPTIONS") answer(ctx, 204, ["Allow", allow]);
  else {
    const message = "This method is not allowed here; Allow names those that are.";
    answerError(ctx, new HttpError("method_not_allowed", message, ["Allow", allow]));
  }
}

function routeNotFound(path: string, hint: string): HttpError {
  const mend = /[^/]\/$/.test(path) ? "paths end without a slash: leave it out." : hint;
  return new HttpError("route_not_found", `There is nothing at this path; ${mend}`);
}
