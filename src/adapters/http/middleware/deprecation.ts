import { headerLines } from "../answer/respond.js";
import type { Handler } from "../context.js";
import { ROUTES } from "../operations/route-table.js";
import type { PetstoreApp } from "../petstore-app.js";

/** When getPet was deprecated: the first release, 2026-11-21T00:00:00Z, frozen (RFC 9745). */
export const DEPRECATED_AT = "@1795219200";

/** When getPet is to be removed (RFC 8594), as the contract says. */
export const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** Tells the header lines that every answer of getPet carries, whatever its status; none for any other request. */
type DeprecationOf = (method: string | undefined, target: string | undefined) => string;

function deprecationLines(origin: string): DeprecationOf {
  const lines = headerLines({
    Deprecation: DEPRECATED_AT,
    Sunset: SUNSET,
    Link:
      `<${origin}/v1/pets?status=available>; rel="successor-version", ` +
      `<${origin}/docs>; rel="deprecation"; type="text/html"`,
  });
  return (method = "", target = "") => (isGetPet(method, target) ? lines : "");
}

/** Marks every answer of getPet as that of a deprecated operation. */
export function announceDeprecation(origin: string): Handler {
  const linesOf = deprecationLines(origin);
  return (ctx, next) => {
    ctx.state.lines += linesOf(ctx.req.method, ctx.req.url);
    return next();
  };
}

/** The same for what is answered below the application. Its links are relative, which leads to the same place. */
export function deprecationBelow({ router }: PetstoreApp): DeprecationOf {
  // The admin port has no such operation.
  return router.route(ROUTES.getPet.operationId) ? deprecationLines("") : () => "";
}

/** Asked of the request target itself, because a 400 or 401 is answered before the router has looked at it. */
function isGetPet(method: string, target: string): boolean {
  const path = /^(?:https?:\/\/[^/?#]+)?\/v1\/pets\/[^/?#]+(?:\?|$)/;
  return (method === "GET" || method === "HEAD") && path.test(target);
}
