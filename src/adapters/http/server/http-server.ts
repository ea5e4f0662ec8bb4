import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { PetstoreApp } from "../petstore-app.js";
import { holdEnds } from "./half-open.js";
import { keepHalfOpen, probeOnce } from "./node-internals.js";
import { pipelineOf } from "./pipelining.js";
import { QuickResponse } from "./quick-response.js";
import { HEADERS_LIMIT, refuseBelowApp } from "./refuse-below-app.js";
import { type LoadLimits, shedLoad } from "./shed-load.js";

/** How long each phase may last, in milliseconds. `refuse-below-app.ts` answers 408 once `headers` or `request` is over. */
export const TIMEOUTS = {
  /** From the first byte of a request to the end of its headers. */
  headers: 10_000,
  /** From the first byte of a request to the end of its body. */
  request: 30_000,
  /**
   * How long a connection may be idle between two requests; longer than a reverse proxy in front leaves its own idle.
   */
  keepAlive: 65_000,
  /** How long nothing at all may move while a request is served: the client does not read its answer. */
  stalled: 60_000,
};

/** A server for the application, not yet listening. */
export function createHttpServer(app: PetstoreApp, limits: LoadLimits, timeouts = TIMEOUTS): Server {
  const quick = QuickResponse as unknown as typeof ServerResponse;
  const { oneString, halfOpen } = probeOnce(quick);
  const server = createServer({
    ServerResponse: oneString ? quick : ServerResponse,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(1000, timeouts.headers / 2),
    maxHeaderSize: HEADERS_LIMIT,
    // The application refuses a missing Host, in the shape of its errors; a repeated header must not be dropped.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
  });
  server.timeout = timeouts.stalled;
  server.on("timeout", (socket) => {
    if (pipelineOf(socket).isUnread) app.observer.connectionCut("stalled");
    socket.destroy();
  });
  server.on("drop", () => app.observer.connectionCut("excess"));
  // Node would drop headers past the 2000th without a word. The size of all headers is limited anyway.
  server.maxHeadersCount = 0;
  let handle = shedLoad(server, app, limits);
  if (halfOpen) keepHalfOpen(server);
  else handle = holdEnds(server, handle);
  // The application itself answers what a request expects (`refuse-malformed.ts`, `request-body.ts`).
  for (const event of ["request", "checkContinue", "checkExpectation"]) {
    server.on(event, closeAfterUpgrade).on(event, handle);
  }
  refuseBelowApp(server, app);
  return server;
}

/**
 * If a request asks for another protocol, which this service ignores, Node's parser afterwards reports no
 * malformed request: such a request would wait for an answer that never comes.
 */
function closeAfterUpgrade(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.upgrade !== undefined) res.setHeader("Connection", "close");
}
