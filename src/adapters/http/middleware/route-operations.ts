import Router from "@koa/router";
import type { Deprecation, Operation, State } from "../context.js";
import type { HttpSettings } from "../http-settings.js";

/** Finds the operation of a request, which `perform.ts` runs once the request is accepted. */
export function routeOperations(
  operations: readonly Operation[],
  { PETSTORE_PUBLIC_URL: origin = "" }: HttpSettings,
): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const operation of operations) {
    const headers = Object.entries(operation.deprecation ? announcement(operation.deprecation, origin) : {});
    router[operation.method](operation.path, ({ state, res }, next) => {
      state.route = operation;
      for (const [name, value] of headers) res.setHeader(name, value);
      return next();
    });
  }
  return router;
}

function announcement({ since, sunset, successor }: Deprecation, origin: string) {
  return {
    Deprecation: `@${since.getTime() / 1000}`,
    Sunset: sunset.toUTCString(),
    Link:
      `<${origin}${successor}>; rel="successor-version", ` +
      `<${origin}/docs>; rel="deprecation"; type="text/html"`,
  };
}
