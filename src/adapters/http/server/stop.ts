import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setImmediate as afterReading, setTimeout as sleep } from "node:timers/promises";
import type { PetstoreApp } from "../petstore-app.js";
import type { Connections } from "./connections.js";

/**
 * How long a server that stops goes on, in milliseconds. To close an idle connection at once could cut off a request on
 * its way, and to stop listening at once could reset the connections that wait to be accepted. Each answer meanwhile says
 * that the connection closes.
 */
const GRACE = 1000;

/** The last part of that, for the connections that were accepted last, in milliseconds. */
const LAST = 500;

/**
 * Stops a server; call it once. It resolves once every request in flight is answered, and every answer delivered. After
 * `patience` milliseconds it cuts the connections that are left, and resolves to their number.
 */
export type Stop = (patience: number) => Promise<number>;

/** Makes a server that is not yet listening stoppable. */
export function stoppable(server: Server, connections: Connections, app: PetstoreApp): Stop {
  return async (patience) => {
    app.stopping = true;
    const grace = Math.min(GRACE, patience);
    await sleep(Math.max(0, grace - LAST));
    return new Promise((resolve) => {
      let cut = 0;
      const deadline = setTimeout(() => {
        cut = connections.count;
        server.closeAllConnections();
      }, patience - grace);
      // The close of http.Server would cut at once a connection from which Node has read nothing yet.
      NetServer.prototype.close.call(server, () => {
        clearTimeout(deadline);
        clearTimeout(last);
        resolve(cut);
      });
      const last = setTimeout(async () => {
        // After a wait for a core, Node runs timers before it reads what has arrived.
        await afterReading();
        connections.closeDelivered();
      }, LAST);
    });
  };
}
