import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import type Koa from "koa";
import { HEADERS_LIMIT, type RequestRejected, reject } from "./reject.js";
import { isDue, type Responses } from "./responses.js";

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

export type HttpServer = Server & { readonly responses: Responses };

export function createHttpServer(app: Koa, options: HttpServerOptions): HttpServer {
  const { maxConnections, timeouts = TIMEOUTS, requestRejected = () => {} } = options;
  const responses: Responses = new Map();
  // The application itself rejects a missing Host, and headers that Node has joined.
  const headers = { maxHeaderSize: HEADERS_LIMIT, requireHostHeader: false, joinDuplicateHeaders: true };
  const server = createServer({ ...timeouts, ...headers });
  server.timeout = timeouts.timeout;
  server.maxConnections = maxConnections;
  // By default Node drops headers beyond the 2000th, perhaps a second Host.
  server.maxHeadersCount = 0;
  server.on("connection", (socket) => {
    responses.set(socket, []);
    socket.once("close", () => responses.delete(socket));
  });
  server.on("request", ({ socket }, res) => {
    const earlier = responses.get(socket)?.filter(({ writableFinished }) => !writableFinished);
    if (earlier) responses.set(socket, [...earlier, res]);
  });
  server.on("request", startTogether(app.callback()));
  server.on("timeout", (socket) => {
    const unfinished = responses.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
    // An incomplete request gets its 408 later.
    if (unfinished.length === 0 || unfinished.some(isDue)) socket.destroy();
  });
  server.on("clientError", ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    // After the requests of the same packet have started.
    setImmediate(() => reject(socket, responses.get(socket)?.at(-1), code, requestRejected));
  });
  return Object.assign(server, { responses });
}

/** Starts requests that arrived in one tick as a batch, so that their creates share a commit. */
function startTogether(start: RequestListener): RequestListener {
  let arrived: Parameters<RequestListener>[] = [];
  return (...request) => {
    if (arrived.push(request) > 1) return;
    setImmediate(() => {
      const batch = arrived;
      arrived = [];
      for (const [req, res] of batch) start(req, res);
    });
  };
}
