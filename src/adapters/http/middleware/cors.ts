import { createRequire } from "node:module";
import { type Handler, METHODS } from "../operations.js";

const require = createRequire(import.meta.url);

/** Headers that browsers would otherwise hide from scripts of other origins. */
const EXPOSED_HEADERS =
  "Allow,Deprecation,Idempotency-Replayed,Link,Location,RateLimit,RateLimit-Policy,Retry-After,Sunset," +
  "WWW-Authenticate,X-Request-Id";

/** The CORS protocol of the Fetch standard, for scripts of these origins. Responds to preflights itself. */
export function allowOrigins(origins: readonly string[]): Handler {
  // Loads only if an operator has turned it on.
  const cors: typeof import("@koa/cors") = require("@koa/cors");
  return cors({
    origin: (ctx) => origins.find((origin) => origin === ctx.get("Origin")) ?? "",
    allowMethods: METHODS.filter((method) => method !== "OPTIONS").join(", "),
    exposeHeaders: EXPOSED_HEADERS,
    // Chromium's maximum (seconds).
    maxAge: 7200,
    // The headers are set before an error is thrown, and requests share error objects.
    keepHeadersOnError: false,
  });
}
