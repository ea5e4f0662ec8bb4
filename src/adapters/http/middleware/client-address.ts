import type { IncomingMessage } from "node:http";
import proxyAddress from "proxy-addr";
import type { HttpSettings } from "../http-settings.js";

/** The address of the client; undefined on a Unix socket. */
export type ClientAddress = (req: IncomingMessage) => string | undefined;

/**
 * Finds the client behind trusted proxies: the last address in `X-Forwarded-For` that is not a proxy's. Ignores `Forwarded`,
 * which a proxy that sets `X-Forwarded-For` passes on from its client unchecked.
 *
 * @throws TypeError if a proxy is not an address, a subnet or `loopback`
 */
export function clientAddress({ PETSTORE_TRUST_PROXY: proxies }: HttpSettings): ClientAddress {
  if (!proxies) return (req) => req.socket.remoteAddress;
  const isProxy = proxyAddress.compile([...proxies]);
  return (req) => withoutPort(proxyAddress(req, (address, hop) => isProxy(withoutPort(address), hop)));
}

/** Some proxies append the port: `203.0.113.9:51008`, `[2001:db8::1]:51008`. */
function withoutPort(address: string | undefined): string {
  return address?.replace(/^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/, "$1$2") as string;
}
