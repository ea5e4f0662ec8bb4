import { randomUUID } from "node:crypto";
import { HttpError } from "./http-error.js";
import type { Handler } from "./operations.js";

/** Headers of every response, unless a handler replaces them. HSTS is up to the proxy that terminates TLS. */
export const FIXED_HEADERS = {
  // Without a charset, which `ctx.type = "json"` would add.
  "Content-Type": "application/json",
  // Otherwise caches may keep even a 404 or 410 (RFC 9110, section 15.1).
  "Cache-Control": "no-store",
  // Keeps browsers from sniffing JSON as HTML, and from running or framing it.
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};
const FIXED = Object.entries(FIXED_HEADERS);

/** A path with a query, perhaps after the origin of a URL, or the `*` of OPTIONS (RFC 9112, section 3.2). */
const TARGET = /^(?:https?:\/\/(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?(?=\/))?(\*|\/[!"$-~]*)$/i;

/** A name, an IPv4 address, or an IPv6 address in brackets, and a port (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\da-fA-F:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/;

/** Gives each request its id and state, and each response the fixed headers. */
export const identify: Handler = (ctx, next) => {
  const sent = ctx.req.headers["x-request-id"];
  // Keeps the client's own id if it is safe in a log.
  const requestId = typeof sent === "string" && /^[\w.-]{1,128}$/.test(sent) ? sent : randomUUID();
  ctx.state = { requestId };
  for (const [name, value] of FIXED) ctx.res.setHeader(name, value);
  ctx.res.setHeader("X-Request-Id", requestId);
  return next();
};

/** Rejects a target without a path, which Node's parser accepts, and reduces a URL to its path and query. */
export const validateTarget: Handler = (ctx, next) => {
  const [, target] = TARGET.exec(ctx.url) ?? [];
  if (target === undefined) {
    throw new HttpError("malformed_request", "The target must be a path of visible ASCII characters.");
  }
  ctx.url = target;
  return next();
};

/** Rejects anything but one valid Host, which Node's parser accepts. */
export const validateHost: Handler = ({ req: { headers, httpVersion } }, next) => {
  // Node joins several Hosts with commas, which no valid Host contains.
  const isValid = headers.host === undefined ? httpVersion === "1.0" : HOST.test(headers.host);
  if (!isValid) throw new HttpError("malformed_request", "Send exactly one Host, with an optional port.");
  return next();
};
