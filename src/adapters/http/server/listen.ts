import { lstat, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";

/** An address to listen on. */
interface ListenAddress {
  /** An address, a host name, or `unix:/PATH`. */
  readonly host: string;
  readonly port: number;
  /** A descriptor that listens already. It takes precedence over host and port. */
  readonly fd?: number | undefined;
  /** The names of the settings of host and port, for messages. */
  readonly settings: readonly [host: string, port: string];
}

const UNIX = "unix:";

/**
 * How many connections may wait in an inherited socket, in place of Node's 511: during a restart all
 * connections do. The kernel drops more, and cuts the number to net.core.somaxconn (listen(2)).
 */
const BACKLOG = 4096;

/**
 * Listens, and gives the address as the start of a URL, with the port that the system has picked if it was 0.
 * The address of a Unix socket is `unix:/PATH`.
 *
 * @throws Error that says which setting to correct.
 */
export async function listen(server: Server, address: ListenAddress): Promise<string> {
  const { host, port, fd } = address;
  const path = host.startsWith(UNIX) ? host.slice(UNIX.length) : undefined;
  if (fd === undefined && path !== undefined) await removeDeadSocket(path);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new Error(explain(cause, address), { cause })));
    // Node ignores a backlog among the options of a descriptor.
    if (fd !== undefined) server.listen({ fd }, BACKLOG, resolve);
    else server.listen(path === undefined ? { host, port } : { path }, resolve);
  });
  // The kernel may fail to hand over a connection, e.g. for lack of descriptors. That must not end the
  // process.
  server.removeAllListeners("error").on("error", (error) => process.emitWarning(error));
  return addressOf(server, address);
}

/** Removes the file of a Unix socket that a killed process has left. Nobody could listen on its path otherwise. */
async function removeDeadSocket(path: string): Promise<void> {
  const file = await lstat(path).catch(() => undefined);
  if (!file?.isSocket()) return;
  const code = await new Promise<string | undefined>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(undefined);
    });
    probe.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  if (code === "ECONNREFUSED") await rm(path);
}

function addressOf(server: Server, { host, fd }: ListenAddress): string {
  const listening = server.address();
  if (listening === null) return `fd:${fd}`;
  if (typeof listening === "string") return host;
  const { address, family, port } = listening;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function explain(
  { code, message }: NodeJS.ErrnoException,
  { host, port, fd, settings: [hostSetting, portSetting] }: ListenAddress,
): string {
  if (fd !== undefined) {
    return `Cannot listen on descriptor ${fd}, which LISTEN_FDS hands over: ${message}; correct the .socket unit.`;
  }
  if (host.startsWith(UNIX)) {
    return code === "EADDRINUSE"
      ? `${host} is taken; end the program that listens there, or set ${hostSetting} to another path.`
      : `Cannot listen on ${host}: ${message}; set ${hostSetting} to a path in a folder that this user may write.`;
  }
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is taken; end the program that has it, or set ${portSetting} to another (0 picks a free one).`;
    case "EACCES":
      return `This user may not listen on port ${port}; set ${portSetting} to one from 1024 upwards.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} is no address of this machine; set ${hostSetting} to one that is, e.g. 127.0.0.1.`;
    default:
      return `Cannot listen on port ${port} of ${host}: ${message}`;
  }
}
