import type { Socket } from "node:net";
import { isDue } from "./reject.js";
import type { HttpServer } from "./server.js";

/**
 * Stops a server. Of its checks every 100 ms, for ten it goes on accepting requests, since nginx may reuse a connection that
 * was idle for half a second; then it ends what was idle for five. Twenty later it cuts clients that have not read their
 * responses, and closes the port. After `milliseconds` it cuts the rest. Resolves to how many connections with a response it cut.
 */
export async function stop(server: HttpServer, milliseconds: number): Promise<number> {
  server.prependListener("request", (_, res) => res.setHeader("Connection", "close"));
  for (const [latest] of [...server.responses.values()].map((all) => all.slice(-1))) {
    if (!latest?.headersSent) latest?.setHeader("Connection", "close");
  }
  let [checks, cut] = [0, 0];
  const checksAtRest = new Map<Socket, number>();
  const timer = setInterval(() => setImmediate(check), Math.min(100, milliseconds / 20));
  function check(): void {
    checks += 1;
    let canClose = checks >= 10;
    for (const [socket, all] of server.responses) {
      const due = all.filter(isDue);
      const isInFlight = due.some(({ writableEnded }) => !writableEnded);
      const atRest = isInFlight ? 0 : (checksAtRest.get(socket) ?? 0) + 1;
      checksAtRest.set(socket, atRest);
      if (isInFlight || checks < 10) continue;
      const isCut = due.length > 0 && checks >= 30 && (server.listening || atRest >= 20);
      if (isCut) cut += 1;
      if (isCut || (due.length === 0 && atRest >= 5)) socket.destroy();
      // `close` cuts unread responses. In Node 26 it cuts new connections, too: try for a moment without one.
      else if (due.length > 0 || checks < 15) canClose = false;
    }
    if (canClose && server.listening) server.close();
  }
  const deadline = setTimeout(() => {
    cut += [...server.responses.values()].filter((all) => all.some(isDue)).length;
    server.close();
    server.closeAllConnections();
  }, milliseconds);
  await new Promise((resolve) => server.once("close", resolve));
  clearInterval(timer);
  clearTimeout(deadline);
  return cut;
}
