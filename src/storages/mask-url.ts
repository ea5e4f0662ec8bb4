import type { StorageAdapter } from "../application/ports/storage.js";

/** The password in the authority of a URL (RFC 3986, section 3.2.1). */
const PASSWORD = /^([a-z0-9+.-]+:\/\/[^:/?#]*:)(.*)@/i;

/** The URL with `***` in place of its password: what the service shows of a URL whose adapter has no `mask`. */
export function maskPassword(url: string): string {
  return url.replace(PASSWORD, "$1***@");
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

/**
 * Hides the secrets of a URL in a text: its masked form stands in place of the URL, and `:***@` in place of its password.
 * Hides the password nowhere else: it may be a word such as `on`.
 */
export function hideSecrets(adapter: StorageAdapter | undefined, url: string): (text: string) => string {
  const masked = maskUrl(adapter, url);
  const [, , password = ""] = PASSWORD.exec(url) ?? [];
  // A driver may repeat it as it is written in the URL, or decoded.
  const secrets = password ? [`:${password}@`, `:${decoded(password)}@`] : [];
  return (text) =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, ":***@"), text.replaceAll(url, masked));
}

/** Hides secrets in what an error says, also in its causes. */
export function hideInError(error: unknown, hide: (text: string) => string): void {
  const seen = new Set<unknown>();
  for (let one = error; one instanceof Error && !seen.has(one); one = one.cause) {
    seen.add(one);
    one.message = hide(one.message);
    one.stack = hide(one.stack ?? "");
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
