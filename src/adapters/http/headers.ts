/** The headers of every response, unless a handler replaces them. HSTS is up to the proxy that terminates TLS. */
export const FIXED_HEADERS = {
  // Without a charset, which `ctx.type = "json"` would add.
  "Content-Type": "application/json",
  // Otherwise caches may keep even a 404 or 410 (RFC 9110, section 15.1).
  "Cache-Control": "no-store",
  // Keeps browsers from sniffing JSON as HTML, and from running or framing it.
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

/** The methods of the API, as `Allow` lists them. */
export const METHODS = ["GET", "HEAD", "OPTIONS", "POST"];
