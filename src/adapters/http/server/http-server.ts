import { createServer, type Server } from "node:http";
import type { PetstoreApp } from "../petstore-app.js";
import { type LoadLimits, limitLoad } from "./limit-load.js";
import { HEADERS_LIMIT, refuse } from "./refuse.js";

/** How long each phase may last, in milliseconds. `refuse.ts` answers 408 once `headers` or `request` is over. */
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
  const server = createServer({
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
  server.maxConnections = limits.connections;
  server.on("drop", () => app.emit("connectionCut", "excess"));
  // Node would drop headers past the 2000th without a word. The size of all headers is limited anyway.
  server.maxHeadersCount = 0;
  const connections = limitLoad(server, app, limits.inFlight);
  // The application itself answers what a request expects (`refuse-malformed.ts`, `request-body.ts`).
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, connections.handle);
  refuse(server, app, connections.latestOf);
  return server;
}
