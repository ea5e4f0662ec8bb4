import Router from "@koa/router";
import type { Operation, State } from "../context.js";

/** Finds the operation of a request, which `perform.ts` runs once the request is accepted. */
export function routeOperations(operations: readonly Operation[]): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const operation of operations) {
    const headers = Object.entries(operation.deprecation ?? {});
    router[operation.method](operation.path, ({ state, res }, next) => {
      state.route = operation;
      for (const [name, value] of headers) res.setHeader(name, value);
      return next();
    });
  }
  return router;
}
