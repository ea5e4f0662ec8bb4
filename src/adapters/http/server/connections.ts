import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpError } from "../answer/error-codes.js";
import type { CutReason } from "../events.js";
import type { Listener, PetstoreApp } from "../petstore-app.js";
import { LATE, writeRefusal } from "./refuse.js";

/** What a client may pipeline behind an answer that it has not read. Each request takes about 2.5 KB beside its bytes. */
const MOST_WAITING = { requests: 100, bytes: 64 * 1024 };

/** A request that waits for the answer to an earlier one. */
interface Waiting {
  readonly res: ServerResponse;
  /** How many bytes had arrived on its connection when it was read. */
  readonly bytesRead: number;
}

interface Connection {
  /** The answer to the request that was read last. */
  latest?: ServerResponse;
  readonly waiting: Waiting[];
  /** The answer to what was no request. Nothing that follows counts. */
  refusal?: HttpError;
}

/**
 * The open connections of a server. Each has one request in the application and one unread answer at a time; what its
 * client pipelines meanwhile waits, and too much of it ends the connection. Behind an answer that closes the connection
 * nothing is carried out (RFC 9112, section 9.6).
 */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  private readonly listener: Listener;
  /** The answers to the requests that were read in this turn of the event loop. */
  private turn: ServerResponse[] = [];

  constructor(
    server: Server,
    private readonly app: PetstoreApp,
  ) {
    this.listener = app.callback();
    server.on("connection", (socket) => {
      this.open.set(socket, { waiting: [] });
      socket.once("close", () => this.open.delete(socket));
    });
    server.on("timeout", (socket) => this.endIdle(socket));
  }

  /** Serves a request in its turn. */
  accept(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    const connection = this.open.get(socket);
    if (!connection || connection.refusal || !socket.writable) return;
    const { latest, waiting } = connection;
    connection.latest = res;
    if (!latest || latest.writableFinished) {
      this.serve(res);
      return;
    }
    const { bytesRead } = socket;
    const oldest = waiting[0]?.bytesRead ?? bytesRead;
    if (waiting.push({ res, bytesRead }) === 1) this.continueAfter(latest, socket, connection);
    else if (waiting.length > MOST_WAITING.requests || bytesRead - oldest > MOST_WAITING.bytes)
      this.cut(socket, "unread");
  }

  /**
   * Answers bytes that are no request, or a request with a malformed body, once all before it is answered.
   *
   * @param packet the bytes that arrived last
   */
  refuse(socket: Socket, refusal: HttpError, packet?: Buffer): void {
    const connection = this.open.get(socket);
    if (!connection || connection.refusal) return;
    connection.refusal = refusal;
    // The application answers a request whose body fails.
    this.serveTurn();
    const { latest, waiting } = connection;
    const req = latest?.req;
    if (!req || latest.writableFinished) {
      // Nothing is under way, so that the packet begins with the request.
      this.sendRefusal(socket, refusal, req, packet?.toString("latin1", 0, 5) === "HEAD ");
    } else if (waiting.length === 0 && !req.complete && !latest.headersSent) {
      // The reader of the body passes the refusal on to the application. Without a reader nobody waits for the body.
      if (req.listenerCount("error") > 0) req.emit("error", refusal);
      else writeRefusal(socket, refusal, this.app);
    } else if (refusal === LATE) this.cut(socket, "stalled");
    else {
      // Bytes that nobody will look at must not keep alive a connection whose client reads no answer.
      socket.pause();
      if (waiting.length === 0) this.continueAfter(latest, socket, connection);
      else if (!req.complete) waiting.pop();
    }
  }

  /** Closes each connection once it has delivered its answers. */
  closeDelivered(): void {
    for (const [socket, connection] of this.open) this.closeOnceDelivered(socket, connection);
  }

  /** How many connections are open, and not about to close. */
  get count(): number {
    return [...this.open.keys()].filter((socket) => !socket.destroyed).length;
  }

  /**
   * Hands a request to the application once the process has read every socket on which something has arrived. Otherwise
   * it would answer a request before it reads the next, and the queue would be in the sockets, where nobody can count it.
   */
  private serve(res: ServerResponse): void {
    if (this.turn.push(res) === 1) setImmediate(() => this.serveTurn());
  }

  private serveTurn(): void {
    const turn = this.turn;
    this.turn = [];
    for (const res of turn) this.listener(res.req, res);
  }

  private closeOnceDelivered(socket: Socket, connection: Connection): void {
    const { latest, refusal } = connection;
    if (latest && !latest.writableFinished) {
      latest.once("close", () => this.closeOnceDelivered(socket, connection));
    } else if (!refusal) socket.destroy();
  }

  private continueAfter(answer: ServerResponse, socket: Socket, connection: Connection): void {
    answer.once("close", () => {
      const { waiting, refusal } = connection;
      if (!socket.writable) return;
      const next = waiting.shift()?.res;
      if (next) {
        if (waiting.length > 0 || refusal) this.continueAfter(next, socket, connection);
        this.serve(next);
      } else if (refusal) this.sendRefusal(socket, refusal, answer.req);
    });
  }

  private sendRefusal(socket: Socket, refusal: HttpError, last?: IncomingMessage, toHead = false): void {
    // A request whose body fails after its answer has that answer.
    if (last?.complete === false) socket.destroy();
    else writeRefusal(socket, refusal, this.app, toHead);
  }

  private endIdle(socket: Socket): void {
    const { latest, refusal } = this.open.get(socket) ?? {};
    if (!latest || latest.writableFinished) socket.destroy();
    // Node's time limit of a request ends one that has not arrived.
    else if (latest.req.complete || refusal) this.cut(socket, "stalled");
  }

  private cut(socket: Socket, reason: CutReason): void {
    socket.destroy();
    this.app.emit("connectionCut", reason);
  }
}
