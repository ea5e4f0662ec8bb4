import type { IncomingMessage } from "node:http";
import Router from "@koa/router";
import { answerError } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Handler, Route, State, Target } from "../context.js";

const NO_PATH = new HttpError(
  "malformed_request",
  "The request target must be a path of visible ASCII characters; percent-encode any other.",
);

/** Finds what answers a request, for the middleware behind; `operate.ts` calls it. Refuses a target that is no path, which no browser sends. */
export function route(routes: readonly Route[]): Handler {
  // Of several routes that fit, the one with the fewest parameters counts, and of those the first.
  const router = new Router<State>({ sensitive: true, strict: true, exclusive: "specificity" });
  // Most requests are for a path without parameters, or with one at its end. The router would try the expression of every
  // route, and compose the handlers anew (`docs/decisions/0007-answers.md`).
  const fixed = new Map<string, Handler>();
  const byParent = new Map<string, { readonly handle: Handler; readonly parameter: string }>();
  for (const route of routes) {
    const handle = choose(route);
    router[route.method](route.path, handle);
    const method = route.method.toUpperCase();
    const [, parent, parameter] = /^([^:]*\/):(\w+)$/.exec(route.path) ?? [];
    // Of several routes that fit the router chooses.
    const isAlone = routes.every(({ path }) => path === route.path || !overlap(path, route.path));
    if (parameter && isAlone) byParent.set(`${method} ${parent}`, { handle, parameter });
    else if (!route.path.includes(":")) fixed.set(`${method} ${route.path}`, handle);
  }
  for (const path of new Set(routes.map(({ path }) => path))) {
    router.all(path, choose(otherMethods(routes.filter((route) => route.path === path))));
  }
  router.all(/^\*$/, choose(otherMethods(routes)));
  const find = router.routes() as Handler;
  return (ctx, next) => {
    // Koa can throw when it reads a path off another target.
    if (!hasPath(ctx.req)) return answerError(ctx, NO_PATH);
    const { method, path } = ctx;
    const handle = fixed.get(`${method} ${path}`);
    if (handle) return handle(ctx, next);
    const end = path.lastIndexOf("/") + 1;
    const item = byParent.get(`${method} ${path.slice(0, end)}`);
    const value = path.slice(end);
    // The router decodes.
    if (!item || value === "" || value.includes("%")) return find(ctx, next);
    ctx.params = { [item.parameter]: value };
    return item.handle(ctx, next);
  };
}

/** Whether the target of a request is a path, or stands for the whole service. */
function hasPath({ method, url = "" }: IncomingMessage): boolean {
  return /^\/[!"$-~]*$/.test(url) || (url === "*" && method === "OPTIONS");
}

/** Whether one path may fit both. */
function overlap(a: string, b: string): boolean {
  const others = b.split("/");
  const parts = a.split("/");
  const fits = (part: string, at: number) =>
    part === others[at] || /^:/.test(part) || /^:/.test(others[at] ?? "");
  return parts.length === others.length && parts.every(fits);
}

function choose(target: Target): Handler {
  return (ctx, next) => {
    ctx.state.route = target;
    if (target.deprecated) ctx.set(target.deprecated);
    return next();
  };
}

/** Answers the methods of a path that no route has: OPTIONS by 204, any other by 405. */
function otherMethods(routes: readonly Route[]): Target {
  const headers = { Allow: allowedMethods(routes) };
  const message = "This method is not allowed here; Allow names those that are.";
  const refusal = new HttpError("method_not_allowed", message, headers);
  return {
    handle: (ctx) => {
      if (ctx.method !== "OPTIONS") return answerError(ctx, refusal);
      ctx.status = 204;
      ctx.set(headers);
    },
  };
}

/** The methods of some routes, as `Allow` lists them. */
export function allowedMethods(routes: readonly Route[]): string {
  const methods = new Set(routes.map(({ method }) => method.toUpperCase()));
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods.add("OPTIONS")].sort().join(", ");
}
