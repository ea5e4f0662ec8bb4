import type { IncomingMessage } from "node:http";
import { ErrorAnswer } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

/**
 * Refuses requests that Node lets pass and this service or HTTP/1.1 (RFC 9112) does not: those with anything but exactly
 * one valid Host, an unknown expectation or an unknown transfer coding. `route.ts` refuses a target that is no path,
 * `server/connection.ts` another version, and `server/refuse.ts` what Node does not let pass.
 */
export const refuseMalformed: Handler = ({ req }, next) => {
  requireHost(req);
  requireKnownExtensions(req);
  return next();
};

/** A name, an IPv4 address or an IPv6 address in brackets, and a port (RFC 9110, section 7.2). */
export const AUTHORITY = "(?:\\[[\\da-fA-F:.]+\\]|[\\w.~!$&'()*+;=%-]*)(?::\\d*)?";

const HOST = new RegExp(`^${AUTHORITY}$`);

function requireHost({ headers: { host }, httpVersion }: IncomingMessage): void {
  if (host === undefined) {
    if (httpVersion === "1.0") return;
    throw malformed("The Host header is missing; HTTP/1.1 requires exactly one.");
  }
  // Node joins two Host headers by a comma, which no valid Host has.
  if (!HOST.test(host)) throw malformed("Send exactly one Host header, with a host and an optional port.");
}

function requireKnownExtensions({ headers, httpVersion }: IncomingMessage): void {
  const { expect, "transfer-encoding": coding } = headers;
  // HTTP/1.0 has no expectations, so a server ignores the header (RFC 9110, section 10.1.1).
  if (expect !== undefined && httpVersion === "1.1" && expect.toLowerCase() !== "100-continue") {
    // Its client may hold its body back, so that nothing may follow it.
    throw malformed("The only expectation that is understood is 100-continue.", CLOSE);
  }
  // Where such a body ends is unknown, so nothing may follow it (RFC 9112, sections 6.1 and 6.3).
  if (coding !== undefined && (httpVersion === "1.0" || coding.toLowerCase() !== "chunked")) {
    throw malformed("The only transfer coding that is understood is chunked, in HTTP/1.1.", CLOSE);
  }
}

const CLOSE = { Connection: "close" };

function malformed(message: string, headers: Readonly<Record<string, string>> = {}): ErrorAnswer {
  return new ErrorAnswer("malformed_request", message, headers);
}
