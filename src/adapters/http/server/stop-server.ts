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

/** The same if other processes serve on, so that nobody waits for the end: a slow network may take some seconds. */
const REPLACED_GRACE = 5000;

/** How often to look for connections that can be closed, in milliseconds. */
const LOOK_INTERVAL = 100;

/**
 * Stops a server; call it once. It accepts no further connection, closes the idle ones, and resolves once every request
 * in flight is answered. After `patience` milliseconds it cuts the rest off, and resolves to false.
 *
 * @param replaced whether other processes serve on
 */
export type Stop = (patience: number, replaced?: boolean) => Promise<boolean>;

/** Makes a server that is not yet listening stoppable. */
export function stoppable(app: PetstoreApp, server: Server): Stop {
  const open = new Set<Socket>();
  let lastAccepted = 0;
  server.on("connection", (socket) => {
    lastAccepted = performance.now();
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });

  function closeIdle(): void {
    server.closeIdleConnections();
    // To Node up to 24 a connection without a first byte is not idle, and Node would wait for it.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  }

  return (patience, replaced = false) =>
    new Promise((resolve) => {
      let finished = true;
      const start = performance.now();
      let lastLook = start;
      const grace = Math.min(replaced ? REPLACED_GRACE : IDLE_GRACE, patience);
      app.stopping = true;

      function look(): void {
        const now = performance.now();
        // A close would reset the connections that wait to be accepted. So the server listens as long as new
        // ones come.
        const quiet = keepsIdle() && lastAccepted <= lastLook;
        if (server.listening && (quiet || now >= start + grace)) closeListening(server, end);
        lastLook = now;
        if (now >= Math.max(start, lastAccepted) + grace) closeIdle();
        if (now < start + patience) return;
        for (const socket of open) if (!socket.destroyed) finished = false;
        server.closeAllConnections();
      }
      // The connections that wait in an inherited socket are the next process's, and those of a worker the others'.
      if ((isInherited(server) || replaced) && keepsIdle()) closeListening(server, end);
      // By `setImmediate` the process first reads the bytes that have arrived: after a wait for a core, Node runs
      // timers before it reads.
      const timer = setInterval(() => setImmediate(look), LOOK_INTERVAL);

      function end(): void {
        clearInterval(timer);
        resolve(finished);
      }
    });
}
