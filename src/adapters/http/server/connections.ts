import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { KoaApp } from "../koa-app.js";
import { Connection } from "./connection.js";

/** How many requests of a turn the application gets before those that have their answers give back their places. */
const PORTION = 64;

/** The open connections of a server. */
export class Connections {
  private readonly open = new Map<Socket, Connection>();

  /** Those whose request has been read, in the order of their turns. */
  private readonly due: Connection[] = [];

  constructor(server: Server, app: KoaApp) {
    const listener = app.callback();
    server.on("connection", (socket) => {
      this.open.set(socket, new Connection(socket, app, listener, (connection) => this.queue(connection)));
      socket.once("close", () => this.open.delete(socket));
    });
  }

  /** Undefined once the connection is closed. */
  of(socket: Socket): Connection | undefined {
    return this.open.get(socket);
  }

  /** Closes each connection once it has delivered its answers. */
  closeDelivered(): void {
    for (const connection of this.open.values()) connection.closeDelivered();
  }

  /**
   * Hands requests to the application once the process has read every socket that it may read and on which something has arrived. Otherwise it
   * would answer a request before it reads the next, and the queue would be in the sockets, where nobody can count it.
   */
  private queue(connection: Connection): void {
    if (this.due.push(connection) === 1) setImmediate(() => this.serveDue());
  }

  private serveDue(): void {
    for (const connection of this.due.splice(0, PORTION)) connection.handOver();
    if (this.due.length > 0) setImmediate(() => this.serveDue());
  }

  /** How many connections are open, and have something to deliver, or may get something. */
  get count(): number {
    return [...this.open.keys()].filter((socket) => !socket.destroyed && !socket.writableFinished).length;
  }
}
