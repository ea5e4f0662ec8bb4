import { once } from "node:events";
import type { Server } from "node:net";

interface Place {
  readonly host: string;
  readonly port: number;
  /** A descriptor that is already listening; it takes precedence over host and port. */
  readonly fd?: number | undefined;
  readonly settings: readonly [host: string, port: string];
}

/** Connections that queue in an inherited socket during a restart (Node limits them to 511 by default). */
const BACKLOG = 4096;

/**
 * Resolves to the address for messages, and to the origin with the actual port (none for a Unix socket).
 *
 * @throws Error that says what to check
 */
export async function listen(server: Server, { host, port, fd, settings }: Place) {
  const place = fd === undefined ? `${host}, port ${port}` : `descriptor ${fd} (from LISTEN_FDS)`;
  // With a descriptor Node ignores `backlog` in the options object.
  if (fd === undefined) server.listen({ host, port });
  else server.listen({ fd }, BACKLOG);
  await once(server, "listening").catch(({ code, message }) => {
    const check = fd === undefined ? settings.join(" and ") : "the .socket unit";
    const advice = code === "EADDRINUSE" ? "stop the program that uses it, or change" : "check";
    throw new Error(`Cannot listen on ${place}: ${message}; ${advice} ${check}.`);
  });
  // From now on an error is a failed accept, e.g. for lack of descriptors.
  server.on("error", (error) => process.emitWarning(error));
  const bound = server.address();
  // Node does not expose the path of an inherited socket.
  if (bound === null || typeof bound === "string") return { address: place, origin: undefined };
  const origin = `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
  return { address: origin, origin };
}
