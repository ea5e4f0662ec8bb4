import type { IncomingMessage } from "node:http";
import type { Headers } from "../answer/error-codes.js";
import type { Handler } from "../context.js";
import { ROUTES } from "../operations/route-table.js";
import type { PetstoreApp } from "../petstore-app.js";
import { originForm, prefixOf } from "../request-target.js";

/** When getPet was deprecated: at the first release, 2026-11-21T00:00:00Z (RFC 9745). Never change it. */
export const DEPRECATED_AT = "@1795219200";

/** When getPet will be removed (RFC 8594), by the contract. */
export const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** The headers of every answer of getPet, whatever its status. `base` goes before the paths of links. */
function deprecationHeaders(base: string): Headers {
  return {
    Deprecation: DEPRECATED_AT,
    Sunset: SUNSET,
    Link:
      `<${base}/v1/pets?status=available>; rel="successor-version", ` +
      `<${base}/docs>; rel="deprecation"; type="text/html"`,
  };
}

/**
 * Marks every answer of getPet as deprecated, even the 410 of `removedGetPet` in `operations.ts`. `metrics/metrics.ts`
 * counts its requests by key.
 */
export function announceDeprecation(origin: string): Handler {
  const fields = Object.entries(deprecationHeaders(origin));
  return (ctx, next) => {
    if (isGetPet(ctx.req)) {
      const prefix = prefixOf(ctx);
      const own = prefix ? Object.entries(deprecationHeaders(origin + prefix)) : fields;
      for (const [name, value] of own) ctx.res.setHeader(name, value);
    }
    return next();
  };
}

/** The same headers, for answers below the application. Their links have no origin, and lead a client to the same place. */
export function deprecationBelow({ router }: PetstoreApp): (request: Target) => Headers {
  // The admin port has no such operation.
  const known = router.route(ROUTES.getPet.operationId);
  const headers = deprecationHeaders("");
  return (request) => (known && isGetPet(request) ? headers : {});
}

type Target = Pick<IncomingMessage, "method" | "url">;

/** Checks the request target itself, because a request that gets 400 or 401 never reaches the router. */
function isGetPet({ method, url = "" }: Target): boolean {
  return (method === "GET" || method === "HEAD") && /^\/v1\/pets\/[^/?#]+(?:\?|$)/.test(originForm(url));
}
