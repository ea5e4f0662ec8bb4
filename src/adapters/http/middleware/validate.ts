import type { Context, Handler } from "../context.js";
import { HttpError } from "../http-error.js";

/** A path with a query, a whole URL, or the `*` of OPTIONS (RFC 9112, section 3.2). */
const TARGET = /^(?:\*$|\/|https?:\/\/[\w[])[!"$-~]*$/i;

/** A name, an IPv4 address, or an IPv6 address in brackets, and a port (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\da-fA-F:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/;

/** Rejects a target without a path, which Node's parser accepts. Only after it may anything read `ctx.path`. */
export const validateTarget: Handler = (ctx, next) => {
  if (!hasPath(ctx)) {
    throw new HttpError("malformed_request", "The target must be a path of visible ASCII characters.");
  }
  return next();
};

/** Rejects anything but one valid Host, which Node's parser accepts. */
export const validateHost: Handler = ({ req: { headers, httpVersion } }, next) => {
  // Node joins several with commas, which are invalid in a Host.
  const isValid = headers.host === undefined ? httpVersion === "1.0" : HOST.test(headers.host);
  if (!isValid) throw new HttpError("malformed_request", "Send exactly one Host, with an optional port.");
  return next();
};

function hasPath(ctx: Context): boolean {
  try {
    // Koa's path is null for some targets, and throws for others, such as `http://[`.
    return TARGET.test(ctx.url) && ctx.path !== null;
  } catch {
    return false;
  }
}
