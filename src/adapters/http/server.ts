import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type Koa from "koa";
import { HEADERS_LIMIT, isDue, type Rejected, reject } from "./reject.js";

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
  requestRejected?(rejected: Rejected): void;
}

/** `responses` has those of each open connection, oldest first: every unfinished one, and the latest in any case. */
export type HttpServer = Server & { readonly responses: Map<Socket, readonly ServerResponse[]> };

export function createHttpServer(app: Koa, options: HttpServerOptions): HttpServer {
  const { maxConnections, timeouts = TIMEOUTS, requestRejected = () => {} } = options;
  // The application itself rejects a missing Host, and headers that Node has joined.
  const headers = { maxHeaderSize: HEADERS_LIMIT, requireHostHeader: false, joinDuplicateHeaders: true };
  const responses: HttpServer["responses"] = new Map();
  const server = Object.assign(createServer({ ...timeouts, ...headers }), {
    timeout: timeouts.timeout,
    maxConnections,
    // By default Node drops headers beyond the 2000th, perhaps a second Host.
    maxHeadersCount: 0,
    responses,
  });
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
  return server;
}

/** Starts requests that arrived in one tick as a batch: their creates share a commit, and each takes less processor time. */
function startTogether(start: RequestListener): RequestListener {
  const batch: Parameters<RequestListener>[] = [];
  const startAll = () => {
    for (const request of batch.splice(0)) start(...request);
  };
  return (...request) => void (batch.push(request) === 1 && setImmediate(startAll));
}
