import type { IncomingMessage } from "node:http";
import proxyAddress from "proxy-addr";

/**
 * Returns what finds the client's address: the last one in `X-Forwarded-For` that is not a trusted proxy's, or undefined on a
 * Unix socket. Ignores `Forwarded`, which a proxy that sets `X-Forwarded-For` passes on from its client unchecked.
 *
 * @throws TypeError if a proxy is not an address, a subnet or `loopback`
 */
export function clientAddress(proxies: readonly string[] | undefined) {
  if (!proxies) return (req: IncomingMessage) => req.socket.remoteAddress;
  const isProxy = proxyAddress.compile([...proxies]);
  return (req: IncomingMessage) =>
    withoutPort(proxyAddress(req, (address, hop) => isProxy(withoutPort(address), hop)));
}

/** Some proxies append the port: `203.0.113.9:51008`, `[2001:db8::1]:51008`. */
function withoutPort(address: string | undefined): string {
  return address?.replace(/^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/, "$1$2") as string;
}
