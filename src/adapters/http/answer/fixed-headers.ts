/**
 * The headers of every answer of the API for browsers and caches. HSTS is for the proxy that ends TLS.
 * Headers that only concern pages (Referrer-Policy, Permissions-Policy) mean nothing for JSON.
 */
export const FIXED_HEADERS = {
  // No cache may keep an answer, not even a 404 or 410, which caches may otherwise keep (RFC 9110, section
  // 15.1).
  "Cache-Control": "no-store",
  // No browser takes JSON for a page, even if a name in it looks like HTML ...
  "X-Content-Type-Options": "nosniff",
  // ... and if one did, nothing in it could run, load or be framed.
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

/** `ctx.type = "json"` would add a charset, which the contract excludes. */
export const JSON_TYPE = { "Content-Type": "application/json" };
