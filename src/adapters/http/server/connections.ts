import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { KoaApp } from "../koa-app.js";
import { Connection } from "./connection.js";

/** The open connections of a server. */
export class Connections {
  private readonly open = new Map<Socket, Connection>();

  constructor(server: Server, app: KoaApp) {
    const listener = app.callback();
    server.on("connection", (socket) => {
      this.open.set(socket, new Connection(socket, app, listener));
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

  /** How many connections are open, and not about to close. */
  get count(): number {
    return [...this.open.keys()].filter((socket) => !socket.destroyed).length;
  }
}
