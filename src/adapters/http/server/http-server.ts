import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { KoaApp } from "../koa-app.js";
import { Connections } from "./connections.js";
import { type ClientError, HEADERS_LIMIT, MOST_HEADERS } from "./refuse.js";
import { boundedRequest } from "./request.js";
import { stop } from "./stop.js";

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
  /**
   * How long nothing at all may move while a request is served: the client does not read its answer. Node looks once in
   * this time whether something has moved since it looked last, so that it may take twice as long.
   */
  stalled: 30_000,
};

/** A server that is not yet listening, and the way to stop it. */
export interface HttpServer {
  readonly server: Server;
  /** Cuts what is left after `patience` milliseconds, and resolves to the number of those connections. */
  readonly stop: (patience: number) => Promise<number>;
}

/** @param maxConnections how many connections may be open; further ones are closed at once, and get no answer */
export function createHttpServer(app: KoaApp, maxConnections: number, timeouts = TIMEOUTS): HttpServer {
  const server = createServer({
    IncomingMessage: boundedRequest((req) => connections.of(req.socket)?.endBody()),
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
  server.maxConnections = maxConnections;
  server.on("drop", () => app.emit("connectionCut", "excess"));
  // Node drops the headers behind these without a word; `connection.ts` refuses the request.
  server.maxHeadersCount = MOST_HEADERS + 1;
  const connections = new Connections(server, app);
  // The application itself answers what a request expects (`refuse-malformed.ts`, `request-body.ts`). Node closes the
  // connection of a CONNECT, since nobody listens to "connect".
  for (const event of ["request", "checkContinue", "checkExpectation"]) {
    server.on(event, (req, res) => connections.of(req.socket)?.accept(req, res));
  }
  server.on("timeout", (socket) => connections.of(socket)?.endSilent());
  server.on("clientError", (error: ClientError, socket: Socket) => connections.of(socket)?.fail(error));
  return { server, stop: (patience) => stop(server, connections, app, patience) };
}
