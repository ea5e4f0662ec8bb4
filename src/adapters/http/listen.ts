import type { Server } from "node:http";

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** A descriptor that is already listening; it takes precedence over host and port. */
  readonly fd?: number | undefined;
  /** The names of the settings, for messages. */
  readonly settings: readonly [host: string, port: string];
}

/** The backlog of an inherited socket (Node's default is 511): during a restart every new connection queues there. */
const BACKLOG = 4096;

/** Resolves to the origin, with the actual port if 0 was asked for. @throws Error that says what to correct */
export async function listen(server: Server, options: ListenOptions): Promise<string> {
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
  if (bound === null || typeof bound === "string") return `fd:${fd}`;
  return `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

function explain({ code, message }: NodeJS.ErrnoException, options: ListenOptions): string {
  const { host, port, fd, settings } = options;
  const [hostName, portName] = settings;
  if (fd !== undefined) {
    return `Cannot listen on descriptor ${fd}, which LISTEN_FDS hands over: ${message}; correct the .socket unit.`;
  }
  if (code === "EADDRINUSE") {
    return `Port ${port} of ${host} is taken; end the program that has it, or set ${portName} to another (0 picks a free one).`;
  }
  if (code === "EACCES") {
    return `This user may not listen on port ${port}; set ${portName} to one from 1024 upwards.`;
  }
  return `Cannot listen on ${host}: ${message}; set ${hostName} to an address of this machine, e.g. 127.0.0.1.`;
}
