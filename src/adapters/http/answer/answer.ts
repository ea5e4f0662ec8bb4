import type { Context } from "../context.js";
import type { HeaderList } from "./error-codes.js";

/**
 * The headers of every answer of the API for browsers and caches. HSTS is for the proxy that ends TLS.
 * Headers that only concern pages (Referrer-Policy, Permissions-Policy) mean nothing for JSON.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  // No cache may keep an answer, not even a 404 or 410, which caches may otherwise keep (RFC 9110, section
  // 15.1).
  "Cache-Control": "no-store",
  // No browser takes JSON for a page, even if a name in it looks like HTML ...
  "X-Content-Type-Options": "nosniff",
  // ... and if one did, nothing in it could run, load or be framed.
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

export const FIXED_HEADERS: HeaderList = Object.entries(SECURITY_HEADERS).flat();

/** `ctx.type = "json"` would add a charset, which the contract excludes. */
export const JSON_TYPE: HeaderList = ["Content-Type", "application/json"];

/**
 * Sets the answer of one of our handlers. If no other middleware is there to look at it, the answer waits in one piece
 * for `writeAnswer`: Koa's setters and Node's store of headers take a sixth of a request. Otherwise it goes to
 * `ctx.status`, `ctx.body` and the headers.
 *
 * @param fixed in place of the headers of every answer
 */
export function answer(
  ctx: Context,
  status: number,
  headers: HeaderList,
  body?: string | Buffer,
  fixed = FIXED_HEADERS,
): void {
  const { state, response } = ctx;
  if (state.isOurs) {
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const all = fixed.concat(headers, state.headers ?? []);
    if (body !== undefined) all.push("Content-Length", String(length));
    state.answer = { status, headers: all, body, length };
    ctx.res.statusCode = status;
    return;
  }
  response.status = status;
  if (fixed !== FIXED_HEADERS) setHeaders(ctx, fixed);
  setHeaders(ctx, headers);
  response.body = body ?? null;
}

/** Sets headers, in place of those of the same name. */
function setHeaders({ res }: Context, headers: HeaderList): void {
  for (let at = 0; at < headers.length; at += 2)
    res.setHeader(headers[at] as string, headers[at + 1] as string);
}

/** Sets the headers of every answer where other middleware sees them, except for those that are set already. */
export function setFixedHeaders(ctx: Context): void {
  const { res, state } = ctx;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!res.hasHeader(name)) res.setHeader(name, value);
  }
  setHeaders(ctx, state.headers);
}
