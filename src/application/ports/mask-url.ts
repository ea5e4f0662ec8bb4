import type { StorageAdapter } from "./storage-adapter.js";

/** A URL without the password in its authority (RFC 3986, section 3.2.1). */
export function maskPassword(url: string): string {
  return url.replace(/^([a-z0-9+.-]+:\/\/[^:/?#]*:).*@/i, "$1***@");
}

/** The URL as logs and people may see it: as its adapter masks it, or `***` if that adapter fails. */
export function maskUrl(adapter: StorageAdapter | undefined, url: string): string {
  try {
    const shown: unknown = adapter?.mask?.(url) ?? maskPassword(url);
    return typeof shown === "string" ? shown : "***";
  } catch {
    return "***";
  }
}
