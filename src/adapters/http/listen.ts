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
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new Error(explain(cause, options), { cause })));
    // With a descriptor Node ignores `backlog` in the options object.
    if (fd === undefined) server.listen({ host, port }, resolve);
    else server.listen({ fd }, BACKLOG, resolve);
  });
  // From now on an error is a failed accept, e.g. for lack of descriptors.
  server.removeAllListeners("error").on("error", (error) => process.emitWarning(error));
  const bound = server.address();
  // Node does not expose the path of an inherited socket.
  if (bound === null || typeof bound === "string") return { address: inherited(fd), origin: undefined };
  const origin = `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
  return { address: origin, origin };
}

function explain(
  { code, message }: NodeJS.ErrnoException,
  { host, port, fd, settings }: ListenOptions,
): string {
  const [hostName, portName] = settings;
  if (fd !== undefined) return `Cannot listen on ${inherited(fd)}: ${message}; check the .socket unit.`;
  if (code === "EADDRINUSE") {
    return `Port ${port} of ${host} is already in use; stop the program that uses it, or set ${portName} to another (0 picks a free one).`;
  }
  return `Cannot listen on ${host}, port ${port}: ${message}; check ${hostName} and ${portName}.`;
}

const inherited = (fd: number | undefined) => `descriptor ${fd} (from LISTEN_FDS)`;
