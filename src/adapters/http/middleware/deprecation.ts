import type { IncomingMessage } from "node:http";
import type { Headers } from "../answer/error-codes.js";
import type { Handler } from "../context.js";
import { ROUTES } from "../operations/route-table.js";
import type { PetstoreApp } from "../petstore-app.js";
import { originForm, prefixOf } from "../request-target.js";

/** When getPet was deprecated: the first release, 2026-11-21T00:00:00Z, frozen (RFC 9745). */
export const DEPRECATED_AT = "@1795219200";

/** When getPet is to be removed (RFC 8594), as the contract says. */
export const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** The headers that every answer of getPet carries, whatever its status. `base` stands before the paths of links. */
function deprecationHeaders(base: string): Headers {
  return {
    Deprecation: DEPRECATED_AT,
    Sunset: SUNSET,
    Link:
      `<${base}/v1/pets?status=available>; rel="successor-version", ` +
      `<${base}/docs>; rel="deprecation"; type="text/html"`,
  };
}

/** Marks every answer of getPet as that of a deprecated operation. */
export function announceDeprecation(origin: string): Handler {
  const fields = Object.entries(deprecationHeaders(origin));
  return (ctx, next) => {
    if (isGetPet(ctx.req)) {
      const prefix = prefixOf(ctx);
      const own = prefix ? Object.entries(deprecationHeaders(origin + prefix)) : fields;
      for (const [name, value] of own) ctx.response.set(name, value);
    }
    return next();
  };
}

/** The same for what is answered below the application. Its links are relative, which leads to the same place. */
export function deprecationBelow({ router }: PetstoreApp): (request: Target) => Headers {
  // The admin port has no such operation.
  const known = router.route(ROUTES.getPet.operationId);
  const headers = deprecationHeaders("");
  return (request) => (known && isGetPet(request) ? headers : {});
}

type Target = Pick<IncomingMessage, "method" | "url">;

/** Asked of the request target itself, because a 400 or 401 is answered before the router has looked at it. */
function isGetPet({ method, url = "" }: Target): boolean {
  return (method === "GET" || method === "HEAD") && /^\/v1\/pets\/[^/?#]+(?:\?|$)/.test(originForm(url));
}
