import type { IncomingMessage } from "node:http";
import { HttpError } from "./error-codes.js";
import type { Handler } from "./respond.js";

/**
 * Refuses what Node lets pass and HTTP/1.1 forbids: a request target that is no path (RFC 9112, section 3.2) and
 * anything but exactly one valid Host (the same section).
 */
export const refuseMalformed: Handler = ({ req }, next) => {
  req.url = originForm(req.url as string);
  requireHost(req);
  return next();
};

/** The path and query of a request target, also of one in absolute form (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  const path = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]+(?=[/?]|$)\/?/i, "/");
  if (path === "*" || /^\/[!"$-~]*$/.test(path)) return path;
  throw new HttpError(
    "malformed_request",
    "The request target must be a path of visible ASCII characters; percent-encode any other.",
  );
}

function requireHost({ headers: { host }, httpVersion }: IncomingMessage): void {
  if (host === undefined) {
    if (httpVersion === "1.0") return;
    throw new HttpError("malformed_request", "The Host header is missing; HTTP/1.1 requires exactly one.");
  }
  // Two Host headers arrive joined by a comma, which no host may hold.
  if (!/^[\w.~!$&'()*+;=%:[\]-]*$/.test(host)) {
    throw new HttpError(
      "malformed_request",
      "Send exactly one Host header, with a host and an optional port.",
    );
  }
}
