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
  /** When each connection that is open was accepted. */
  const open = new Map<Socket, number>();
  let accepted = 0;
  server.on("connection", (socket) => {
    accepted++;
    open.set(socket, performance.now());
    socket.once("close", () => open.delete(socket));
  });

  function closeIdle(grace: number): void {
    server.closeIdleConnections();
    // To Node a connection without a first byte is not idle, and Node would wait for it.
    const before = performance.now() - grace;
    for (const [socket, since] of open) if (socket.bytesRead === 0 && since <= before) socket.destroy();
  }

  return (patience, replaced = false) =>
    new Promise((resolve) => {
      let finished = true;
      let acceptedBefore = accepted;
      const start = performance.now();
      const grace = Math.min(replaced ? REPLACED_GRACE : IDLE_GRACE, patience);
      app.stopping = true;

      function look(): void {
        const elapsed = performance.now() - start;
        const graceIsOver = elapsed >= grace;
        // A close would reset the connections that wait to be accepted. So the server listens as long as new
        // ones come.
        const quiet = keepsIdle() && accepted === acceptedBefore;
        if (server.listening && (quiet || graceIsOver)) closeListening(server, end);
        acceptedBefore = accepted;
        if (graceIsOver) closeIdle(grace);
        if (elapsed < patience) return;
        for (const socket of open.keys()) if (!socket.destroyed) finished = false;
        server.closeAllConnections();
      }
      // The connections that wait in an inherited socket are the next process's, and those of a worker the others'.
      if ((isInherited(server) || replaced) && keepsIdle()) closeListening(server, end);
      // It looks only after it has read what has arrived: if the process had to wait for a core, Node runs
      // its timers first.
      const timer = setInterval(() => setImmediate(look), LOOK_INTERVAL);

      function end(): void {
        clearInterval(timer);
        resolve(finished);
      }
    });
}
