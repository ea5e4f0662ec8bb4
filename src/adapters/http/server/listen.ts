import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The names of the settings that an address comes from. */
interface Settings {
  readonly host: string;
  readonly port: string;
}

/**
 * Listens, and answers the address as the start of a URL, with the port that was given where 0 was asked for.
 *
 * @throws Error that says which setting to correct.
 */
export async function listen(
  server: Server,
  host: string,
  port: number,
  settings: Settings,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new Error(explain(cause, host, port, settings), { cause })));
    server.listen(port, host, resolve);
  });
  server.removeAllListeners("error");
  const { address, family, port: given } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${given}`;
}

function explain(
  { code, message }: NodeJS.ErrnoException,
  host: string,
  port: number,
  settings: Settings,
): string {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is taken; end the program that has it, or set ${settings.port} to another (0 picks a free one).`;
    case "EACCES":
      return `This user may not listen on port ${port}; set ${settings.port} to one from 1024 upwards.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} is no address of this machine; set ${settings.host} to one that is, e.g. 127.0.0.1.`;
    default:
      return `Cannot listen on port ${port} of ${host}: ${message}`;
  }
}
