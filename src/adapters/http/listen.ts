import type { Server } from "node:http";

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** A descriptor that is already listening; it takes precedence over host and port. */
  readonly fd?: number | undefined;
  /** The names of the settings, for messages. */
  readonly settings: readonly [host: string, port: string];
}

export interface Listening {
  /** For people: the origin, or which descriptor it is. */
  readonly address: string;
  /** With the actual port if 0 was asked for; undefined for a socket that has a path. */
  readonly origin: string | undefined;
}

/** The backlog of an inherited socket (Node's default is 511): during a restart every new connection queues there. */
const BACKLOG = 4096;

/** @throws Error that says what to check */
export async function listen(server: Server, options: ListenOptions): Promise<Listening> {
  const { host, port, fd } = options;
  const [hostName, portName] = options.settings;
  const inherited = `descriptor ${fd} (from LISTEN_FDS)`;
  const where = fd === undefined ? `${host}, port ${port}` : inherited;
  const advice = `stop the program that uses the port, or set ${portName} or ${hostName} to another`;
  const what = fd === undefined ? advice : "check the .socket unit";
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new Error(`Cannot listen on ${where}: ${cause.message}; ${what}.`, { cause }));
    });
    // With a descriptor Node ignores `backlog` in the options object.
    if (fd === undefined) server.listen({ host, port }, resolve);
    else server.listen({ fd }, BACKLOG, resolve);
  });
  // From now on an error is a failed accept, e.g. for lack of descriptors.
  server.removeAllListeners("error").on("error", (error) => process.emitWarning(error));
  const bound = server.address();
  // Node does not expose the path of an inherited socket.
  if (bound === null || typeof bound === "string") return { address: inherited, origin: undefined };
  const origin = `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
  return { address: origin, origin };
}
