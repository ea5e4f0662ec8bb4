import proxyAddress from "proxy-addr";
import type { ClientAddress } from "./observe.js";

/** How many addresses of `X-Forwarded-For` are looked at, the last first. */
const MOST_PROXIES = 64;

/**
 * Finds the address of the client behind trusted proxies: the last address of `X-Forwarded-For` that is no
 * proxy's. It ignores the `Forwarded` header (RFC 7239): a proxy that writes `X-Forwarded-For` passes on a
 * `Forwarded` that the client has sent.
 *
 * @param proxies addresses, subnets in CIDR notation, or `loopback`, which includes Unix sockets
 */
export function clientAddressBehind(proxies: readonly string[]): ClientAddress {
  const trusts = proxyAddress.compile([...proxies]);
  const trustsThisMachine = proxies.includes("loopback");
  const trust = (address: string | undefined, index: number) =>
    index < MOST_PROXIES && (address === undefined ? trustsThisMachine : trusts(address, index));
  return (req) => {
    const { remoteAddress, localAddress, destroyed } = req.socket;
    // The other end of a Unix socket has no address, nor has a client that has gone.
    if (remoteAddress === undefined && (destroyed || localAddress !== undefined)) return undefined;
    return proxyAddress(req, trust);
  };
}
