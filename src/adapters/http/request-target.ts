import type { Context } from "./context.js";

/** The path and query of a request target, also of one in absolute form (RFC 9112, section 3.2). */
export function originForm(target: string): string {
  return target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]+(?=[/?]|$)\/?/i, "/");
}

/** What stands before the paths of this application if it is mounted in another (`koa-mount`); else nothing. */
export function prefixOf({ originalUrl, req: { url = "" } }: Context): string {
  if (originalUrl === url) return "";
  const whole = originForm(originalUrl);
  return whole.endsWith(url) ? whole.slice(0, -url.length) : "";
}
