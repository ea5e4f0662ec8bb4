import type { Headers } from "./error-codes.js";
import { type Handler, headerLines } from "./respond.js";

/** When getPet was deprecated: the first release, 2026-11-21T00:00:00Z, frozen (RFC 9745). */
export const DEPRECATED_AT = "@1795219200";

/** When getPet is to be removed (RFC 8594), as the contract says. */
export const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** Tells the headers that every answer of getPet carries, whatever its status; undefined for any other request. */
export function deprecationHeaders(
  origin: string,
): (method: string | undefined, target: string | undefined) => Headers | undefined {
  const headers: Headers = {
    Deprecation: DEPRECATED_AT,
    Sunset: SUNSET,
    Link:
      `<${origin}/v1/pets?status=available>; rel="successor-version", ` +
      `<${origin}/docs>; rel="deprecation"; type="text/html"`,
  };
  return (method = "", target = "") => (isGetPet(method, target) ? headers : undefined);
}

/** Marks every answer of getPet as that of a deprecated operation. */
export function announceDeprecation(origin: string): Handler {
  const headersOf = deprecationHeaders(origin);
  return (ctx, next) => {
    const headers = headersOf(ctx.request.method, ctx.request.url);
    if (headers) ctx.state.lines += headerLines(headers);
    return next();
  };
}

/** Asked of the request target itself, because a 400 or 401 is answered before the router has looked at it. */
function isGetPet(method: string, target: string): boolean {
  const path = /^(?:https?:\/\/[^/?#]+)?\/v1\/pets\/[^/?#]+(?:\?|$)/;
  return (method === "GET" || method === "HEAD") && path.test(target);
}
