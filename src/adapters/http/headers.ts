/** The headers of every response of the API. HSTS is up to the proxy that terminates TLS. */
export const FIXED_HEADERS = {
  // Otherwise caches may keep even a 404 or 410 (RFC 9110, section 15.1).
  "Cache-Control": "no-store",
  // Keeps browsers from sniffing JSON as HTML, and from running or framing it.
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Without a charset, which `ctx.type = "json"` would add. */
export const JSON_TYPE = "application/json";

/** The methods of the API, as `Allow` lists them. */
export const METHODS = ["GET", "HEAD", "OPTIONS", "POST"];
