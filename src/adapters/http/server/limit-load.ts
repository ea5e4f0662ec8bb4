import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { HttpError } from "../answer/error-codes.js";
import type { PetstoreApp } from "../petstore-app.js";

/** The limits on the load that one process accepts at once. */
export interface LoadLimits {
  /** Requests that were read, and whose answer is not made yet. */
  readonly inFlight: number;
  readonly connections: number;
}

/** How many requests of one connection may wait for the answer to an earlier one. They take about 2.5 KB each. */
const MOST_WAITING = 256;

const OVERLOADED = new HttpError(
  "overloaded",
  "The service has too many requests in flight; try again later.",
);

/** A request that was read. */
interface Arrival {
  readonly res: ServerResponse;
  readonly at: number;
}

/** The requests of one connection. */
interface Connection {
  /** The answer to the request that was read last. */
  latest: ServerResponse | undefined;
  readonly waiting: Arrival[];
}

/**
 * The application's listener behind limits. Beyond `most` requests in flight it answers 503 at once, so that the requests
 * that it has taken on stay fast. A connection has one request in flight and one unread answer at a time; what a client
 * pipelines meanwhile waits, and too much of it ends the connection.
 */
export function limitLoad(server: Server, app: PetstoreApp, most: number) {
  const serve = app.callback();
  const connections = new WeakMap<Socket, Connection>();
  let inFlight = 0;
  let taken: Arrival[] = [];

  function take(arrival: Arrival): void {
    if (inFlight >= most) {
      app.refuse(arrival.res.req, arrival.res, OVERLOADED);
      app.emit("requestShed");
      return;
    }
    inFlight += 1;
    // Requests wait until the process has read every socket on which something has arrived. Otherwise it would answer a
    // request before it reads the next, and the queue would be in the sockets, where nobody can count it.
    if (taken.push(arrival) === 1) setImmediate(serveTaken);
  }

  function serveTaken(): void {
    const arrivals = taken;
    taken = [];
    for (const { res, at } of arrivals) serve(res.req, res, at).then(answered);
  }

  function answered(): void {
    inFlight -= 1;
  }

  function takeNext(waiting: Arrival[], socket: Socket): void {
    const next = waiting.shift();
    if (!next || socket.destroyed) return;
    if (waiting.length > 0) next.res.once("close", () => takeNext(waiting, socket));
    take(next);
  }

  server.on("connection", (socket) => connections.set(socket, { latest: undefined, waiting: [] }));
  server.on("timeout", (socket) => {
    const latest = connections.get(socket)?.latest;
    if (latest && !latest.writableFinished) app.emit("connectionCut", "stalled");
    socket.destroy();
  });

  return {
    handle: ((req: IncomingMessage, res: ServerResponse) => {
      const connection = connections.get(req.socket) as Connection;
      const { latest, waiting } = connection;
      // The rest of what a connection that was cut has sent.
      if (req.socket.destroyed) return;
      connection.latest = res;
      const arrival = { res, at: performance.now() };
      if (!latest || latest.writableFinished) take(arrival);
      else if (waiting.push(arrival) > MOST_WAITING) {
        req.socket.destroy();
        app.emit("connectionCut", "unread");
      } else if (waiting.length === 1) {
        latest.once("close", () => takeNext(waiting, req.socket));
      }
    }) as RequestListener,

    /** The answer to the request that was read last on a connection; undefined before the first. */
    latestOf: (socket: Socket) => connections.get(socket)?.latest,
  };
}
