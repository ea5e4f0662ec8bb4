import { isIP } from "node:net";

export function isOrigin(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, origin } = new URL(url);
  return /^https?:$/.test(protocol) && (url === origin || url === `${origin}/`);
}

/**
 * Whether a value is an address, or may be the name of a host (RFC 1123, section 2.1; names within a site may
 * have `_` as well).
 */
export function isHost(text: string): boolean {
  const labels = text.split(".");
  const isName =
    labels.every((label) => /^\w([\w-]{0,61}\w)?$/.test(label)) && /\D/.test(labels.at(-1) ?? "");
  return isIP(text) !== 0 || (isName && text.length <= 253);
}

/** On Linux the path of a Unix socket has at most 107 bytes (unix(7), sun_path). */
export function isHostOrSocket(text: string): boolean {
  return text.startsWith("unix:") ? /^unix:\/.{0,106}$/.test(text) : isHost(text);
}

/** Whether a server that listens on one of two hosts occupies the same port on the other. */
export function shareAddress(host: string, other: string): boolean {
  if (host.startsWith("unix:")) return false;
  const hosts = [host, other];
  // On Linux `::` occupies the port of IPv4 as well. A name may stand for an address of either.
  const isTaken =
    hosts.includes("::") || (hosts.includes("0.0.0.0") && !hosts.some((one) => isIP(one) === 6));
  return host === other || isTaken;
}

/** Whether a value is an address, a subnet in CIDR notation (not the whole network), or `loopback`. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix = "1", ...rest] = text.split("/");
  const bits = isIP(address) === 4 ? 32 : 128;
  const isPrefix = /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits;
  // Of the IPv6 addresses that end like IPv4, proxy-addr knows only the mapped ones (RFC 4291, section 2.5.5.2).
  const isKnown = !address.includes(":") || !address.includes(".") || /^::ffff:[\d.]+$/i.test(address);
  return text === "loopback" || (isIP(address) !== 0 && isKnown && isPrefix && rest.length === 0);
}
