import type { HeaderList } from "../answer/error-codes.js";

/** When getPet was deprecated: at the first release, 2026-11-21T00:00:00Z (RFC 9745). Never change it. */
export const DEPRECATED_AT = "@1795219200";

/** When getPet will be removed (RFC 8594), by the contract. */
export const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** The headers of every answer of getPet, whatever its status. `base` goes before the paths of links. */
export function deprecationHeaders(base: string): HeaderList {
  const links =
    `<${base}/v1/pets?status=available>; rel="successor-version", ` +
    `<${base}/docs>; rel="deprecation"; type="text/html"`;
  return ["Deprecation", DEPRECATED_AT, "Sunset", SUNSET, "Link", links];
}
