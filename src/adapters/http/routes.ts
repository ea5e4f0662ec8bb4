import Router, { type RouterMiddleware } from "@koa/router";
import { requireJsonAccepted } from "./accept.js";
import { HttpError } from "./error-codes.js";
import { type Context, type Handler, respondEmpty, type State } from "./respond.js";

export interface Route {
  readonly operationId: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handlers: readonly Handler[];
}

/** Dispatches to the routes; answers OPTIONS, and what no route takes with 404 or 405. */
export function dispatch(routes: readonly Route[]): Handler {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const { method, path, operationId, handlers } of routes) {
    const chain = [requireJsonAccepted, ...handlers] as RouterMiddleware<State>[];
    if (method === "GET") router.get(operationId, path, ...chain);
    else router.post(operationId, path, ...chain);
  }
  const routed = router.routes() as unknown as Handler;
  return (ctx, next) => routed(ctx, () => answerUnrouted(ctx as Context & Matched).then(next));
}

/** What the router leaves on the context: the routes whose path matched, whatever their method. */
interface Matched {
  readonly matched?: readonly { readonly methods: readonly string[] }[];
}

async function answerUnrouted(ctx: Context & Matched): Promise<void> {
  const methods = (ctx.matched ?? []).flatMap((layer) => layer.methods);
  if (ctx.path === "*") methods.push("GET", "HEAD", "POST");
  if (methods.length === 0) throw routeNotFound(ctx.path);
  const headers = { Allow: [...new Set(methods), "OPTIONS"].sort().join(", ") };
  if (ctx.method === "OPTIONS") return respondEmpty(ctx, headers);
  throw new HttpError(
    "method_not_allowed",
    "This method is not allowed here; Allow names those that are.",
    headers,
  );
}

function routeNotFound(path: string): HttpError {
  const hint = path.endsWith("/")
    ? "paths end without a slash: leave it out."
    : "the operations are under /v1, for example GET /v1/pets.";
  return new HttpError("route_not_found", `There is nothing at this path; ${hint}`);
}
