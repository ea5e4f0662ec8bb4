import proxyAddress from "proxy-addr";
import type { ClientAddress } from "./observe-requests.js";

/**
 * Finds the address of the client behind trusted proxies, from `X-Forwarded-For`: the last address in it that is no
 * proxy's. The `Forwarded` header (RFC 7239) is not looked at: a proxy that writes the one lets the other through as
 * the client sent it.
 *
 * @param proxies addresses, subnets in CIDR notation, or `loopback`, which stands for the other end of a Unix socket too
 */
export function clientAddressBehind(proxies: readonly string[]): ClientAddress {
  const trusts = proxyAddress.compile([...proxies]);
  const trustsThisMachine = proxies.includes("loopback");
  // The other end of a Unix socket has no address.
  const trust = (address: string | undefined, index: number) =>
    address === undefined ? trustsThisMachine : trusts(address, index);
  return (req) => proxyAddress(req, trust);
}
