import { Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type Koa from "koa";
import { HEADERS_LIMIT, isPending, reject } from "./reject.js";

/** Node's time limits for a connection (ms). The first two end in a 408. */
export const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** Must be longer than the proxy in front keeps an idle connection. */
  keepAliveTimeout: 65_000,
  /** For a client that does not read its response. Node may take twice as long to notice. */
  timeout: 20_000,
  connectionsCheckingInterval: 1000,
};

/** Phases of a stop (ms). nginx may reuse a connection that it kept for half a second. */
const ACCEPTING = 1000;
const RESTING = 500;
const UNREAD = 2000;

/** Node's HTTP server, which tracks the responses of each connection, and stops without losing one. */
export class HttpServer extends Server {
  /** The unfinished responses of each open connection, oldest first. */
  readonly responses = new Map<Socket, ServerResponse[]>();
  /** While true, the last response on each connection says `Connection: close`. */
  private isStopping = false;
  /** Whether a request may still follow such a response: a client that never ceases must not hold a stop. */
  private isAccepting = true;
  /** Connections that were cut before the client read its response. */
  private cuts = 0;

  constructor(app: Koa, maxConnections: number, timeouts = TIMEOUTS) {
    // The application itself rejects a missing Host, and headers that Node has joined.
    const headers = { maxHeaderSize: HEADERS_LIMIT, requireHostHeader: false, joinDuplicateHeaders: true };
    super({ ...timeouts, ...headers });
    this.timeout = timeouts.timeout;
    // By default Node drops headers beyond the 2000th, perhaps a second Host.
    this.maxHeadersCount = 0;
    this.maxConnections = maxConnections;
    this.on("connection", (socket) => {
      this.responses.set(socket, []);
      socket.once("close", () => this.responses.delete(socket));
    });

    const start = app.callback();
    const runSoon = inBatches();
    const rejected = new WeakSet<Socket>();
    this.on("request", (req, res) => {
      if (this.add(res)) runSoon(() => start(req, res));
    });
    this.on("clientError", ({ code }: NodeJS.ErrnoException, socket: Socket) => {
      // Node reports each further packet, too.
      if (rejected.has(socket)) return;
      rejected.add(socket);
      // Runs after the requests of the same packet.
      runSoon(() => reject(app, socket, this.responses.get(socket) ?? [], code));
    });
    this.on("timeout", (socket) => {
      const [oldest] = this.responses.get(socket) ?? [];
      const isUnread = oldest?.writableEnded && socket.timeout === this.timeout;
      // Otherwise a response is in flight, or the 408 of an incomplete request follows.
      if (!oldest || isUnread) this.cut(socket);
      else socket.setTimeout(this.timeout);
    });
  }

  /**
   * Stops in phases. For 1 s it still accepts connections and requests. Then it closes the port, ends idle
   * connections after 500 ms, and cuts the others `milliseconds` after the call. It cuts clients that take no
   * byte for 2 s. Resolves to how many connections were cut before the client read its response.
   */
  async stop(milliseconds: number): Promise<number> {
    const accepting = Math.min(ACCEPTING, milliseconds / 2);
    const resting = Math.min(RESTING, milliseconds / 4);
    this.isStopping = true;
    this.cuts = 0;
    this.timeout = UNREAD;
    this.keepAliveTimeout = RESTING;
    for (const [socket, responses] of this.responses) {
      const latest = responses.at(-1);
      if (!latest) continue;
      if (!latest.headersSent) latest.setHeader("Connection", "close");
      // Node compares the unsent bytes at two time-outs, so the first comes at once.
      socket.setTimeout(1);
    }
    await this.endResting(accepting);
    this.isAccepting = false;
    const closed = new Promise((resolve) => this.close(resolve));
    await Promise.race([closed, this.endResting(resting)]);
    await Promise.race([closed, this.endResting(milliseconds - accepting - resting)]);
    for (const socket of this.responses.keys()) this.cut(socket);
    return this.cuts;
  }

  /** Does nothing: `close` calls it, and Node's version ends connections whose request is still unread. */
  override closeIdleConnections(): void {}

  /** Waits, and ends the connections that had nothing pending before and after. */
  private async endResting(milliseconds: number): Promise<void> {
    const resting = [...this.responses].filter(([, responses]) => !responses.some(isPending));
    await sleep(milliseconds, undefined, { ref: false });
    // Lets in the requests that arrived during a busy turn.
    await nextTurn();
    for (const [socket, responses] of resting) if (!responses.some(isPending)) socket.destroy();
  }

  private cut(socket: Socket): void {
    if (this.responses.get(socket)?.some(isPending)) this.cuts += 1;
    socket.destroy();
  }

  /** Returns whether a response can still reach the client; otherwise the request must not run. */
  private add(response: ServerResponse): boolean {
    const { req } = response;
    const responses = this.responses.get(req.socket) ?? [];
    const earlier = responses.at(-1);
    const closes = earlier?.getHeader("Connection") === "close";
    // Node sends nothing after a response that closes the connection.
    if (!req.socket.writable || (closes && (earlier.headersSent || !this.isAccepting))) return false;
    if (closes) earlier.removeHeader("Connection");
    if (this.isStopping) response.setHeader("Connection", "close");
    responses.push(response);
    const remove = () => responses.splice(responses.indexOf(response), 1);
    // After an early response the rest of the body may still be malformed.
    response.once("close", () => (req.complete ? remove() : req.once("close", remove)));
    return true;
  }
}

/**
 * Returns a function that runs the tasks of one turn of the event loop together. Creates then share a commit,
 * and 64 clients get 25,000 responses per second, 2.5 times as many.
 */
function inBatches(): (task: () => void) => void {
  const tasks: (() => void)[] = [];
  const runBatch = () => {
    // In a larger batch, requests that take no time would still count as in flight.
    for (const task of tasks.splice(0, 64)) task();
    if (tasks.length > 0) setImmediate(runBatch);
  };
  return (task) => void (tasks.push(task) === 1 && setImmediate(runBatch));
}
