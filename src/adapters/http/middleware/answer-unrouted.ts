import type { Context, Handler } from "../context.js";
import { METHODS } from "../headers.js";
import { HttpError } from "../http-error.js";

/** Handles what no route matched: 204 for OPTIONS, 405 for other methods of a known path, otherwise 404 with a hint. */
export function answerUnrouted(hint: string): Handler {
  return (ctx) => {
    const methods = methodsOf(ctx);
    if (methods.length === 0) {
      const advice = /[^/]\/$/.test(ctx.path) ? "remove the trailing slash." : hint;
      throw new HttpError("route_not_found", `Nothing exists at this path; ${advice}`);
    }
    const Allow = [...new Set([...methods, "OPTIONS"])].sort().join(", ");
    const message = "Method not allowed; see the Allow header.";
    if (ctx.method !== "OPTIONS") throw new HttpError("method_not_allowed", message, { Allow });
    ctx.status = 204;
    ctx.set("Allow", Allow);
  };
}

/** The methods of the path, or of the whole service for `OPTIONS *`. */
function methodsOf(ctx: Context): readonly string[] {
  if (ctx.method === "OPTIONS" && ctx.url === "*") return METHODS;
  // The routes that @koa/router matched by path, whatever their method.
  const matched: readonly { readonly methods: readonly string[] }[] = ctx.matched ?? [];
  return matched.flatMap(({ methods }) => methods);
}
