import { isIP } from "node:net";

export function isOrigin(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, origin } = new URL(url);
  return /^https?:$/.test(protocol) && (url === origin || url === `${origin}/`);
}

/** Whether it is a URL that data can be sent to. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Whether it is an address, or may be the name of a host (RFC 1123, section 2.1; names within a site have `_` too). */
export function isHost(text: string): boolean {
  const labels = text.split(".");
  const isName =
    labels.every((label) => /^\w([\w-]{0,61}\w)?$/.test(label)) && /\D/.test(labels.at(-1) ?? "");
  return isIP(text) !== 0 || (isName && text.length <= 253);
}

/** Whether a server that listens on one of two hosts takes the ports of the other. */
export function shareAddress(host: string, other: string): boolean {
  if (host.startsWith("unix:")) return false;
  const hosts = [host, other];
  // On Linux `::` takes the port of IPv4 as well; which one a name stands for is not known here.
  const isTaken =
    hosts.includes("::") || (hosts.includes("0.0.0.0") && !hosts.some((one) => isIP(one) === 6));
  return host === other || isTaken;
}

/** Whether it is an address, a subnet in CIDR notation that is not the whole network, or `loopback`. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = isIP(address) === 4 ? 32 : 128;
  const isPrefix = prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits);
  // Of IPv6 addresses that end like those of IPv4, proxy-addr knows only the mapped ones (RFC 4291, section 2.5.5.2).
  const isKnown = isIP(address) === 4 || !address.includes(".") || /^::ffff:[\d.]+$/i.test(address);
  return text === "loopback" || (isIP(address) !== 0 && isKnown && isPrefix && rest.length === 0);
}
