import type { Handler } from "../context.js";
import { HttpError } from "../http-error.js";

/** A path with a query, perhaps after the origin of a URL, or the `*` of OPTIONS (RFC 9112, section 3.2). */
const TARGET = /^(?:https?:\/\/(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?(?=\/))?(\*|\/[!"$-~]*)$/i;

/** A name, an IPv4 address, or an IPv6 address in brackets, and a port (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\da-fA-F:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/;

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
  // Node joins several with commas, which are invalid in a Host.
  const isValid = headers.host === undefined ? httpVersion === "1.0" : HOST.test(headers.host);
  if (!isValid) throw new HttpError("malformed_request", "Send exactly one Host, with an optional port.");
  return next();
};
