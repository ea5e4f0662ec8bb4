import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { PetstoreApp } from "../petstore-app.js";
import { isInherited } from "./listen.js";
import { closeListening, keepsIdle } from "./node-internals.js";

/**
 * How long a connection may stay idle once the server stops, in milliseconds. To close it at once could cut off a
 * request on its way. The server still answers a request that arrives meanwhile, and says that it will close.
 */
const IDLE_GRACE = 1000;

/** How often to look for connections that can be closed, in milliseconds. */
const LOOK_INTERVAL = 100;

/**
 * Makes a server that is not yet listening stoppable.
 *
 * @returns a function that stops the server; call it once. It accepts no further connection, closes the idle
 * ones, and resolves once every request in flight is answered. After `patience` milliseconds it cuts the rest
 * off, and resolves to false.
 */
export function stoppable(app: PetstoreApp, server: Server): (patience: number) => Promise<boolean> {
  const open = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket) => {
    accepted++;
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });

  function closeIdle(): void {
    server.closeIdleConnections();
    // To Node a connection without a first byte is not idle, and Node would wait for it.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  }

  return (patience) =>
    new Promise((resolve) => {
      let finished = true;
      let acceptedBefore = accepted;
      const start = performance.now();
      app.stopping = true;

      function look(): void {
        const elapsed = performance.now() - start;
        const graceIsOver = elapsed >= Math.min(IDLE_GRACE, patience);
        // A close would reset the connections that wait to be accepted. So the server listens as long as new
        // ones come.
        const quiet = keepsIdle() && accepted === acceptedBefore;
        if (server.listening && (quiet || graceIsOver)) closeListening(server, end);
        acceptedBefore = accepted;
        if (graceIsOver) closeIdle();
        if (elapsed < patience) return;
        for (const socket of open) if (!socket.destroyed) finished = false;
        server.closeAllConnections();
      }
      // In an inherited socket connections wait for the next process.
      if (isInherited(server) && keepsIdle()) closeListening(server, end);
      // It looks only after it has read what has arrived: if the process had to wait for a core, Node runs
      // its timers first.
      const timer = setInterval(() => setImmediate(look), LOOK_INTERVAL);

      function end(): void {
        clearInterval(timer);
        resolve(finished);
      }
    });
}
