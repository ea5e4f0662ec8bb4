import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorBody, RETRY_AFTER_SECONDS } from "../answer/error-codes.js";
import { SECURITY_HEADERS } from "../answer/security-headers.js";
import { noteArrival } from "../arrival.js";
import type { PetstoreApp } from "../petstore-app.js";
import { requestIdOf } from "../request-id.js";
import { BufferLimit } from "./buffer-limit.js";
import { Pipeline, pipelineOf, setPipeline } from "./pipelining.js";
import { refusalHeaders } from "./refusal-headers.js";

/** The limits on the load that one process accepts at once. */
export interface LoadLimits {
  /** Requests that were read, and whose answer is not made yet. */
  readonly inFlight: number;
  readonly connections: number;
  /** How many connections above the limit wait for their 503. The server closes further ones without an answer. */
  readonly excess?: number;
}

export const EXCESS_CONNECTIONS = 1000;

/** The least bounds on what all connections keep (docs/decisions/0014). */
const KEPT_REQUESTS = 10_000;
const KEPT_BYTES = 128 * 1024 * 1024;

/**
 * The application's listener behind limits. Above them it answers 503 at once, before it looks at the
 * request, so that the requests that it has taken on stay fast.
 */
export function shedLoad(server: Server, app: PetstoreApp, limits: LoadLimits): RequestListener {
  const handle = app.callback();
  const headersOf = refusalHeaders(app);
  let connections = 0;
  let inFlight = 0;
  let taken: ServerResponse[] = [];
  /** Sockets beyond the limit. */
  const excess = new WeakSet<Socket>();

  const buffers = new BufferLimit(
    { requests: Math.max(KEPT_REQUESTS, 10 * limits.inFlight), bytes: KEPT_BYTES },
    () => app.observer.connectionCut("unread"),
  );

  server.maxConnections = limits.connections + (limits.excess ?? EXCESS_CONNECTIONS);
  server.on("connection", (socket) => {
    connections += 1;
    if (connections > limits.connections) excess.add(socket);
    const pipeline = new Pipeline(socket, buffers, takeOn);
    setPipeline(socket, pipeline);
    socket.on("close", () => {
      connections -= 1;
      inFlight -= pipeline.giveUp();
    });
  });

  function handleTaken(): void {
    const responses = taken;
    taken = [];
    for (const res of responses) {
      handle(res.req, res as never).then(
        () => answered(res),
        (error) => cutOff(res, error),
      );
    }
  }

  /** The promise of the application never rejects. If it did all the same, that must not end the process. */
  function cutOff(res: ServerResponse, error: Error): void {
    process.emitWarning(error);
    res.req.socket.destroy();
    answered(res);
  }

  function answered(res: ServerResponse): void {
    const { socket } = res.req;
    const pipeline = pipelineOf(socket);
    if (res.writableEnded || socket.destroyed) {
      inFlight -= 1;
      pipeline.answered(res);
    } else {
      pipeline.beginStream();
      res.once("close", () => {
        if (pipeline.endStream(res)) inFlight -= 1;
      });
    }
  }

  /** Takes a request on; false if it was shed. */
  function takeOn(res: ServerResponse): boolean {
    if (inFlight >= limits.inFlight) {
      shed(res);
      return false;
    }
    inFlight += 1;
    // Requests wait until the process has read every socket on which something has arrived. Otherwise the process
    // would answer a request before it reads the next, and the queue would be in the sockets, where nobody can
    // count it.
    if (taken.push(res) === 1) setImmediate(handleTaken);
    return true;
  }

  function shed(res: ServerResponse): void {
    if (app.stopping) res.setHeader("Connection", "close");
    res.setHeader("X-Request-Id", requestIdOf(res.req.headers["x-request-id"]));
    res.writeHead(503, { ...HEADERS, ...headersOf(res.req) });
    res.end(BODY);
    app.observer.requestShed();
    pipelineOf(res.req.socket).made(res);
  }

  return (req, res) => {
    const pipeline = pipelineOf(req.socket);
    if (!pipeline.note(res)) return;
    if (connections > limits.connections && excess.has(req.socket)) {
      res.setHeader("Connection", "close");
      shed(res);
      return;
    }
    noteArrival(req);
    pipeline.add(res);
  };
}

const BODY = errorBody("overloaded", "The service has too many requests in flight; try again later.");
const HEADERS = {
  "Content-Type": "application/json",
  "Content-Length": BODY.length,
  "Retry-After": String(RETRY_AFTER_SECONDS),
  ...SECURITY_HEADERS,
};
