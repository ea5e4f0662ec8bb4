import type { Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { isDue } from "./reject.js";
import type { HttpServer } from "./server.js";

/**
 * Stops a server, which it checks every 100 ms. Up to the tenth check requests are still accepted, since nginx may reuse a
 * connection that was idle for half a second. Then connections at rest for five checks are ended, those whose client has not
 * read a response for thirty are cut, and the port is closed. After `milliseconds` the rest is cut. Resolves to how many
 * connections with a response were cut.
 */
export async function stop(server: HttpServer, milliseconds: number): Promise<number> {
  const deadline = performance.now() + milliseconds;
  server.prependListener("request", (_, res) => res.setHeader("Connection", "close"));
  for (const [latest] of [...server.responses.values()].map((all) => all.slice(-1))) {
    if (!latest?.headersSent) latest?.setHeader("Connection", "close");
  }
  const checksAtRest = new Map<Socket, number>();
  let cut = 0;
  for (let checks = 1; server.listening || server.responses.size > 0; checks += 1) {
    await sleep(Math.min(100, milliseconds / 20));
    // What arrived during a busy turn comes first.
    await nextTurn();
    const isLate = performance.now() >= deadline;
    // In Node 26 `close` cuts new connections, too: try for a moment without one.
    let canClose = isLate || checks >= (server.responses.size === 0 ? 10 : 15);
    for (const [socket, all] of server.responses) {
      const due = all.filter(isDue);
      const isUnread = due.length > 0 && due.every(({ writableEnded }) => writableEnded);
      const atRest = due.length > 0 && !isUnread ? 0 : (checksAtRest.get(socket) ?? 0) + 1;
      checksAtRest.set(socket, atRest);
      if (isLate || (checks >= 10 && atRest >= (isUnread ? 30 : 5))) {
        if (due.length > 0) cut += 1;
        socket.destroy();
      } else if (isUnread) canClose = false; // `close` would cut it.
    }
    if (canClose && server.listening) server.close();
  }
  return cut;
}
