import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpServer } from "./server.js";

/** How often a stopping server checks its connections, in milliseconds. */
const STOP_CHECK_INTERVAL = 100;

/**
 * Stops a server. For ten checks it still accepts requests, since nginx may reuse a connection that was idle for half a
 * second. Then it ends connections that were idle for five checks, and waits for the responses in flight.
 *
 * @param milliseconds the time after which it cuts the remaining connections
 * @returns how many of these had a response in flight
 */
export async function stop(server: HttpServer, milliseconds: number): Promise<number> {
  const { responses } = server;
  // From now on every response asks its client to close the connection.
  server.prependListener("request", (_, res) => res.setHeader("Connection", "close"));
  for (const res of responses.values()) if (!res?.headersSent) res?.setHeader("Connection", "close");

  let checks = 0;
  const idleChecks = new Map<Socket, number>();
  function check(): void {
    checks += 1;
    let canClose = checks >= 10 && server.listening;
    for (const [socket, response] of responses) {
      const idle = isIdle(response) ? (idleChecks.get(socket) ?? 0) + 1 : 0;
      idleChecks.set(socket, idle);
      if (checks >= 10 && idle >= 5) socket.destroy();
      // `close` cuts responses that are being read. In Node 26 it cuts new connections, too: try for a moment without one.
      else if (socket.writableLength > 0 || (idle > 0 && checks < 15)) canClose = false;
    }
    if (canClose) server.close();
  }
  let cut = 0;
  function cutAll(): void {
    cut = [...responses.values()].filter((response) => !isIdle(response)).length;
    server.close();
    server.closeAllConnections();
  }
  // Node runs timers before it reads from sockets, and `setImmediate` after.
  const timer = setInterval(() => setImmediate(check), Math.min(STOP_CHECK_INTERVAL, milliseconds / 20));
  const deadline = setTimeout(cutAll, milliseconds);
  await new Promise((resolve) => server.once("close", resolve));
  clearInterval(timer);
  clearTimeout(deadline);
  return cut;
}

/** Whether no response is in flight. An incomplete request has none yet. */
function isIdle(response: ServerResponse | undefined): boolean {
  return !response || response.writableFinished || (!response.req.complete && !response.headersSent);
}
