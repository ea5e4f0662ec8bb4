import type { Socket } from "node:net";
import { isDue } from "./responses.js";
import type { HttpServer } from "./server.js";

/**
 * Stops a server, which it checks every 100 ms. For ten checks it goes on accepting requests, since nginx may reuse a
 * connection that was idle for half a second. Then it ends connections that were idle for five checks, and waits for the
 * requests in flight. It cuts a client that has not read its response twenty checks later.
 *
 * @param milliseconds the time after which it cuts everything
 * @returns how many connections with a response it has cut
 */
export async function stop(server: HttpServer, milliseconds: number): Promise<number> {
  const { responses } = server;
  // From now on the newest response on each connection closes it.
  server.prependListener("request", ({ socket }, res) => {
    const earlier = responses.get(socket)?.at(-1);
    if (!earlier?.headersSent) earlier?.removeHeader("Connection");
    res.setHeader("Connection", "close");
  });
  for (const latest of [...responses.values()].map((all) => all.at(-1))) {
    if (!latest?.headersSent) latest?.setHeader("Connection", "close");
  }
  let [checks, cut] = [0, 0];
  const checksAtRest = new Map<Socket, number>();
  function check(): void {
    checks += 1;
    let canClose = checks >= 10 && server.listening;
    for (const [socket, all] of responses) {
      const due = all.filter(isDue);
      const isInFlight = due.some(({ writableEnded }) => !writableEnded);
      const atRest = isInFlight ? 0 : (checksAtRest.get(socket) ?? 0) + 1;
      checksAtRest.set(socket, atRest);
      if (isInFlight || checks < 10 || socket.destroyed) continue;
      if (due.length === 0 && atRest >= 5) socket.destroy();
      else if (due.length > 0 && checks >= 30 && (server.listening || atRest >= 20)) {
        cut += 1;
        socket.destroy();
        // `close` cuts unread responses. In Node 26 it cuts new connections, too: try for a moment without one.
      } else if (due.length > 0 || checks < 15) canClose = false;
    }
    if (canClose) server.close();
  }
  function cutAll(): void {
    cut += [...responses.values()].filter((all) => all.some(isDue)).length;
    server.close();
    server.closeAllConnections();
  }
  // Node runs timers before it reads from sockets, and `setImmediate` after.
  const timer = setInterval(() => setImmediate(check), Math.min(100, milliseconds / 20));
  const deadline = setTimeout(cutAll, milliseconds);
  await new Promise((resolve) => server.once("close", resolve));
  clearInterval(timer);
  clearTimeout(deadline);
  return cut;
}
