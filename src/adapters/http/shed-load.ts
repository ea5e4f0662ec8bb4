import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { PetstoreApp } from "./app.js";
import { errorBody, RETRY_AFTER_SECONDS } from "./error-codes.js";
import { requestIdOf } from "./observe-requests.js";
import { SECURITY_HEADERS } from "./security-headers.js";

/** How much one process takes on at once. */
export interface LoadLimits {
  /** Requests that were read and not yet answered. */
  readonly inFlight: number;
  readonly connections: number;
}

/** How many connections past their limit are kept until they can be told so; any more are closed without a word. */
const EXCESS_CONNECTIONS = 1000;

/**
 * The application's listener behind limits: past them a request is answered 503 at once, before anything is asked
 * of it, so that those which were taken on stay fast.
 */
export function shedLoad(server: Server, app: PetstoreApp, limits: LoadLimits): RequestListener {
  const handle = app.requestListener();
  let connections = 0;
  let inFlight = 0;
  /** How many of them each connection has. */
  const inFlightOn = new WeakMap<Socket, number>();
  let taken: [IncomingMessage, ServerResponse][] = [];
  /** Sockets that came when there were too many. */
  const excess = new WeakSet<Socket>();

  server.maxConnections = limits.connections + EXCESS_CONNECTIONS;
  server.on("connection", (socket) => {
    connections += 1;
    inFlightOn.set(socket, 0);
    if (connections > limits.connections) excess.add(socket);
    socket.on("close", () => {
      connections -= 1;
      // Of pipelined requests Node closes only the first answer when their connection breaks.
      inFlight -= inFlightOn.get(socket) ?? 0;
      inFlightOn.delete(socket);
    });
  });

  function handleTaken(): void {
    const requests = taken;
    taken = [];
    for (const [req, res] of requests) handle(req, res);
  }

  function count(socket: Socket, change: 1 | -1): void {
    const requests = inFlightOn.get(socket);
    if (requests === undefined) return;
    inFlightOn.set(socket, requests + change);
    inFlight += change;
  }

  function release(this: ServerResponse): void {
    count(this.req.socket, -1);
  }

  return (req, res) => {
    const crowded = connections > limits.connections && excess.has(req.socket);
    if (crowded || inFlight >= limits.inFlight) {
      if (crowded || app.stopping) res.shouldKeepAlive = false;
      res.writeHead(503, { ...HEADERS, "X-Request-Id": requestIdOf(req.headers["x-request-id"]) }).end(BODY);
      app.observer.requestShed();
      return;
    }
    count(req.socket, 1);
    res.on("close", release);
    // Handled once every socket that has something was read: handled at once, a request would be answered before the
    // next is read, and the queue would stand in the sockets, where nobody can count it.
    if (taken.push([req, res]) === 1) setImmediate(handleTaken);
  };
}

const BODY = errorBody("overloaded", "The service has too many requests in flight; try again later.");
const HEADERS = {
  "Content-Type": "application/json",
  "Content-Length": Buffer.byteLength(BODY),
  "Retry-After": RETRY_AFTER_SECONDS,
  ...SECURITY_HEADERS,
};
