import type { IncomingMessage } from "node:http";
import type { Headers } from "../answer/error-codes.js";
import { deprecationBelow } from "../middleware/deprecation.js";
import type { PetstoreApp } from "../petstore-app.js";

/** The known facts of a request whose answer comes from below the application. */
export interface Known extends Pick<IncomingMessage, "method" | "url"> {
  readonly headers: { readonly origin?: string | undefined };
}

/**
 * The headers that depend on the request, and that the application's middleware would have set. `refuse-on-socket.ts`
 * and `shed-load.ts` add those of every answer.
 */
export function refusalHeaders(app: PetstoreApp): (request: Known) => Headers {
  const deprecationOf = deprecationBelow(app);
  return (request) => ({ ...app.cors?.headersFor(request.headers.origin), ...deprecationOf(request) });
}

/** Reads the request line and `Origin` in what was received of a request. Either may be missing. */
export function readHead(received: string): Known {
  const start = received.trimStart();
  const [, method, url] = /^([!#$%&'*+.^`|~\w-]+) (\S+) HTTP\//.exec(start) ?? [];
  const end = start.indexOf("\r\n\r\n");
  const head = end < 0 ? start : start.slice(0, end + 2);
  const [, origin] = /\r\nOrigin:[ \t]*([^\r\n]*?)[ \t]*\r\n/i.exec(head) ?? [];
  return { method, url, headers: { origin } };
}
