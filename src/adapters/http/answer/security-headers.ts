import type { Headers } from "./error-codes.js";

/**
 * What every answer of the API tells browsers and caches. HSTS is for the proxy that ends TLS, and what only
 * concerns pages (Referrer-Policy, Permissions-Policy) says nothing about JSON.
 */
export const SECURITY_HEADERS: Headers = {
  // Not even a 404 or 410, which a cache may otherwise keep (RFC 9110, section 15.1), outlives the moment.
  "Cache-Control": "no-store",
  // JSON is never taken for a page, whatever a name in it looks like ...
  "X-Content-Type-Options": "nosniff",
  // ... and were it shown as one, nothing in it would run, load or be framed.
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};
