import type { Server } from "node:http";
import { Server as ListeningServer, type Socket } from "node:net";
import type { PetstoreApp } from "./app.js";

/**
 * How long a connection may stay idle once the server stops, in milliseconds. To close it at once could cut off a
 * request that is on its way: what arrives meanwhile is answered, and told that the connection closes.
 */
const IDLE_GRACE = 1000;

/** How often idle connections are looked for after that, in milliseconds. */
const LOOK_INTERVAL = 100;

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

  function closeIdle(): void {
    server.closeIdleConnections();
    // A connection on which nothing has arrived yet is not idle to Node, and would be waited for.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  }

  return (patience) =>
    new Promise((resolve) => {
      let finished = true;
      const start = performance.now();
      app.stopping = true;
      const look = setInterval(() => {
        // Not before what has arrived meanwhile was read: timers come first where the process had to wait its turn.
        if (performance.now() - start >= IDLE_GRACE) setImmediate(closeIdle);
      }, LOOK_INTERVAL);
      const cut = setTimeout(() => {
        closeIdle();
        for (const socket of open) if (!socket.destroyed) finished = false;
        server.closeAllConnections();
      }, patience);
      // Past http.Server's own `close`, which cuts idle connections at once.
      ListeningServer.prototype.close.call(server, () => {
        clearInterval(look);
        clearTimeout(cut);
        resolve(finished);
      });
    });
}
