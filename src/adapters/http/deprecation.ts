import { type Handler, headerLines } from "./respond.js";

/** When getPet was deprecated: the first release, 2026-11-21T00:00:00Z, frozen (RFC 9745). */
export const DEPRECATED_AT = "@1795219200";

/** When getPet is to be removed (RFC 8594), as the contract says. */
export const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** Marks every answer of getPet as that of a deprecated operation, whatever its status. */
export function announceDeprecation(origin: string): Handler {
  const lines = headerLines({
    Deprecation: DEPRECATED_AT,
    Sunset: SUNSET,
    Link:
      `<${origin}/v1/pets?status=available>; rel="successor-version", ` +
      `<${origin}/docs>; rel="deprecation"; type="text/html"`,
  });
  return (ctx, next) => {
    if (isGetPet(ctx.request.method, ctx.request.url)) ctx.state.lines += lines;
    return next();
  };
}

/** Asked of the request target itself, because a 400 or 401 is answered before the router has looked at it. */
function isGetPet(method: string, target: string): boolean {
  const path = /^(?:https?:\/\/[^/?#]+)?\/v1\/pets\/[^/?#]+(?:\?|$)/;
  return (method === "GET" || method === "HEAD") && path.test(target);
}
