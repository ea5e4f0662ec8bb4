import type { Handler } from "../context.js";

/** The target of getPet. Koa's `path` throws on some malformed targets. */
const GET_PET = /^(?:https?:\/\/[^/]+)?\/v1\/pets\/[^/?]+(?:\?|$)/;

/** Announces the removal of getPet in each of its responses, whatever the status. `origin` precedes the paths of links. */
export function announceDeprecation(origin: string): Handler {
  const headers = Object.entries({
    // RFC 9745: the first release, in seconds since 1970. Neither date may change.
    Deprecation: "@1795219200",
    // RFC 8594.
    Sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
    Link:
      `<${origin}/v1/pets?status=available>; rel="successor-version", ` +
      `<${origin}/docs>; rel="deprecation"; type="text/html"`,
  });
  return ({ method, url, res }, next) => {
    if ((method === "GET" || method === "HEAD") && GET_PET.test(url)) {
      for (const [name, value] of headers) res.setHeader(name, value);
    }
    return next();
  };
}
