import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { PetstoreApp } from "./app.js";

/**
 * Makes a server that is not yet listening stoppable.
 *
 * @returns the stop, to be called once: takes no further connection, closes the idle ones and resolves once every
 * request in flight is answered. What is not done within `patience` milliseconds is cut off, and it resolves false.
 */
export function stoppable(app: PetstoreApp, server: Server): (patience: number) => Promise<boolean> {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return (patience) =>
    new Promise((resolve) => {
      app.stopping = true;
      let finished = true;
      const cut = setTimeout(() => {
        finished = false;
        server.closeAllConnections();
      }, patience);
      server.close(() => {
        clearTimeout(cut);
        resolve(finished);
      });
      // A connection on which nothing has arrived yet is not idle to Node, and would be waited for.
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    });
}
