import type { Deprecation } from "../context.js";

/** The headers of every answer of a deprecated operation. `origin` goes before the paths of links; it may be empty. */
export function deprecationHeaders({ since, sunset, successor }: Deprecation, origin: string) {
  const links =
    `<${origin}${successor}>; rel="successor-version", ` +
    `<${origin}/docs>; rel="deprecation"; type="text/html"`;
  return { Deprecation: since, Sunset: sunset, Link: links };
}
