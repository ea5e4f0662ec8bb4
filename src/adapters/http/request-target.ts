import type { IncomingMessage } from "node:http";
import type { Context } from "./context.js";

/**
 * The path and query of a request target, even of one in absolute form (RFC 9112, section 3.2). `refuse-malformed.ts`
 * checks its characters.
 */
export function originForm(target: string): string {
  return target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]+(?=[/?]|$)\/?/i, "/");
}

/** The path alone. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** The query without its question mark; empty if there is none. */
export function queryOf(req: IncomingMessage): string {
  return (req.url as string).slice(pathOf(req).length + 1);
}

/** The prefix of this application's paths if it is mounted in another (`koa-mount`); otherwise empty. */
export function prefixOf({ originalUrl, req: { url = "" } }: Context): string {
  if (originalUrl === url) return "";
  const whole = originForm(originalUrl);
  return whole.endsWith(url) ? whole.slice(0, -url.length) : "";
}
