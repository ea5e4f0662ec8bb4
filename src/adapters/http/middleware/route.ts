import type { IncomingMessage } from "node:http";
import Router from "@koa/router";
import { answerError } from "../answer/answer-error.js";
import { ErrorAnswer } from "../answer/error-codes.js";
import type { Handler, Route, State, Target } from "../context.js";

const NO_PATH = new ErrorAnswer(
  "malformed_request",
  "The request target must be a path of visible ASCII characters; percent-encode any other.",
);

/** Finds what answers a request, for the middleware behind. Refuses a target that is no path, which no browser sends. */
export function route(routes: readonly Route[]): Handler {
  // Of several paths that fit, the one with the fewest parameters counts, and of those the first.
  const router = new Router<State>({ sensitive: true, strict: true, exclusive: "specificity" });
  // The router compares a request with each of its layers, so that a path has only one.
  for (const path of new Set(routes.map(({ path }) => path))) {
    router.all(path, choose(routes.filter((route) => route.path === path)));
  }
  router.all(/^\*$/, choose([], routes));
  const find = router.routes() as Handler;
  // Koa can throw when it reads a path off another target.
  return (ctx, next) => {
    if (ctx.state.route) return next();
    return hasPath(ctx.req) ? find(ctx, next) : answerError(ctx, NO_PATH);
  };
}

/** Whether the target of a request is a path, or stands for the whole service. */
function hasPath({ method, url = "" }: IncomingMessage): boolean {
  return /^\/[!"$-~]*$/.test(url) || (url === "*" && method === "OPTIONS");
}

/** Finds what answers a method among the routes of a path. */
function choose(routes: readonly Route[], allowed = routes): Handler {
  const others = otherMethods(allowed);
  return (ctx, next) => {
    const method = ctx.method === "HEAD" ? "get" : ctx.method.toLowerCase();
    const target = routes.find((route) => route.method === method) ?? others;
    ctx.state.route = target;
    if (target.deprecated) ctx.set(target.deprecated);
    return next();
  };
}

/** Answers the methods of a path that no route has: OPTIONS by 204, any other by 405. */
function otherMethods(routes: readonly Route[]): Target {
  const headers = { Allow: allowedMethods(routes) };
  const message = "This method is not allowed here; Allow names those that are.";
  const refusal = new ErrorAnswer("method_not_allowed", message, headers);
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
