import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type Koa from "koa";
import { HEADERS_LIMIT, type RequestRejected, reject } from "./reject.js";

/** Node's time limits for a connection, in milliseconds. The first two end in a 408. */
export const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** Longer than a reverse proxy keeps an idle connection. */
  keepAliveTimeout: 65_000,
  /** For a client that does not read its response. Node may take twice as long to notice. */
  timeout: 20_000,
  connectionsCheckingInterval: 1000,
};

interface HttpServerOptions {
  /** Further connections are closed at once. */
  readonly maxConnections: number;
  readonly timeouts?: typeof TIMEOUTS;
  readonly requestRejected?: RequestRejected;
}

/** The open connections, each with the response to its latest request; undefined before the first one. */
type Responses = Map<Socket, ServerResponse | undefined>;
export type HttpServer = Server & { readonly responses: Responses };

export function createHttpServer(app: Koa, options: HttpServerOptions): HttpServer {
  const { maxConnections, timeouts = TIMEOUTS, requestRejected = () => {} } = options;
  const responses: Responses = new Map();
  const server = createServer({
    ...timeouts,
    maxHeaderSize: HEADERS_LIMIT,
    // The application itself rejects a missing Host, and headers that Node has joined.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
  });
  server.timeout = timeouts.timeout;
  server.maxConnections = maxConnections;
  // By default Node drops headers beyond the 2000th, perhaps a second Host.
  server.maxHeadersCount = 0;
  server.on("connection", (socket) => {
    responses.set(socket, undefined);
    socket.once("close", () => responses.delete(socket));
  });
  server.on("timeout", (socket) => {
    const response = responses.get(socket);
    // An incomplete request gets its 408 later.
    if (!response || response.req.complete || response.headersSent) socket.destroy();
  });
  server.on("request", beginTogether(responses, app.callback()));
  server.on("clientError", ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    // After the requests of the same packet have begun.
    setImmediate(() => reject(socket, responses.get(socket), code, requestRejected));
  });
  return Object.assign(server, { responses });
}

/**
 * Begins requests together that arrive together: their creates share a commit of the storage, their responses a turn of the
 * event loop, and each takes less processor time. A pipelined request waits for the response before it.
 */
function beginTogether(responses: Responses, begin: RequestListener): RequestListener {
  let arrived: Parameters<RequestListener>[] = [];
  function beginAll(): void {
    const together = arrived;
    arrived = [];
    for (const [req, res] of together) begin(req, res);
  }
  return (req, res) => {
    const previous = responses.get(req.socket);
    responses.set(req.socket, res);
    if (previous && !previous.writableFinished) {
      previous.once("close", () => req.socket.writable && begin(req, res));
    } else if (arrived.push([req, res]) === 1) setImmediate(beginAll);
  };
}
