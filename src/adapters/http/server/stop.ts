import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { KoaApp } from "../koa-app.js";
import type { Connections } from "./connections.js";

/**
 * How long a server that stops goes on to listen, and then leaves idle connections open, in milliseconds. To stop
 * listening at once could reset the connections that wait to be accepted, and to close an idle one at once could cut off a
 * request on its way. Each answer meanwhile says that the connection closes.
 */
const GRACE = 500;

/**
 * Stops a server; call it once. It resolves once every request in flight is answered, and every answer delivered, to the
 * number of connections that it had to cut after `patience` milliseconds.
 */
export async function stop(
  server: Server,
  connections: Connections,
  app: KoaApp,
  patience: number,
): Promise<number> {
  app.stopping = true;
  const grace = Math.min(GRACE, patience / 4);
  await sleep(grace);
  let cut = 0;
  const deadline = setTimeout(() => {
    connections.closeDelivered();
    cut = connections.count;
    server.closeAllConnections();
  }, patience - grace);
  // After a wait for a core, Node runs timers before it reads what has arrived.
  const last = setTimeout(() => setImmediate(() => connections.closeDelivered()), grace);
  // The close of http.Server would cut at once a connection from which Node has read nothing yet.
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  clearTimeout(deadline);
  clearTimeout(last);
  return cut;
}
