import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { isPending } from "./reject.js";
import type { HttpServer } from "./server.js";

/** In milliseconds. nginx may reuse a connection that it kept for half a second. */
const ACCEPTING = 1000;
const RESTING = 500;
const UNREAD = 2000;

/**
 * Stops a server in phases, and resolves to how many connections with a response were cut. For 1 s it accepts connections and
 * requests. Then it closes the port, ends connections that rest for 500 ms, and waits for the others; after `milliseconds` in
 * all it cuts them. Meanwhile a client that takes no byte of its responses for 2 s is cut.
 */
export async function stop(server: HttpServer, milliseconds: number): Promise<number> {
  const { http } = server;
  const accepting = Math.min(ACCEPTING, milliseconds / 2);
  const resting = Math.min(RESTING, milliseconds / 4);
  server.isStopping = true;
  http.timeout = UNREAD;
  http.keepAliveTimeout = RESTING;
  for (const [socket, responses] of server.responses) {
    const latest = responses.at(-1);
    if (!latest) continue;
    if (!latest.headersSent) latest.setHeader("Connection", "close");
    // Node compares how much is unsent at two time-outs, so that the first one comes at once.
    socket.setTimeout(1);
  }
  await endResting(server, accepting);
  const closed = new Promise((resolve) => server.close(resolve));
  await Promise.race([closed, endResting(server, resting)]);
  await Promise.race([closed, endResting(server, milliseconds - accepting - resting)]);
  for (const socket of server.responses.keys()) server.cut(socket);
  return server.cuts;
}

/** Waits, and ends the connections that had nothing pending all the while. */
async function endResting(server: HttpServer, milliseconds: number): Promise<void> {
  const resting = [...server.responses].filter(([, responses]) => !responses.some(isPending));
  await sleep(milliseconds, undefined, { ref: false });
  // What arrived during a busy turn comes first.
  await nextTurn();
  for (const [socket, responses] of resting) if (!responses.some(isPending)) socket.destroy();
}
