import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import type Router from "@koa/router";
import type { Handler, State } from "./context.js";

/** The API document and its page, as the build writes them. */
const FOLDER = new URL("./docs/public/", import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".yaml": "application/yaml",
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** Override the fixed headers: a document may be cached, and the page runs its own scripts. */
const HEADERS = {
  // A cache must revalidate its copy before each use (RFC 9111, section 5.2.2.4).
  "Cache-Control": "no-cache",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};

/** The page at /docs with its files, and the API document at /openapi.*. They are read once and need no key. */
export function routeDocuments(router: Router<State>): void {
  for (const file of readdirSync(FOLDER)) {
    const path = file === "page.html" ? "/docs" : file.startsWith("openapi.") ? `/${file}` : `/docs/${file}`;
    router.get(path, serve(readFileSync(new URL(file, FOLDER)), TYPES[extname(file)]));
  }
}

function serve(content: Buffer, type = "application/octet-stream"): Handler {
  const etag = `"${hash("sha256", content, "base64url").slice(0, 22)}"`;
  return (ctx) => {
    ctx.set({ ...HEADERS, ETag: etag });
    const etags = ctx.get("If-None-Match");
    if (etags === "*" || etags.includes(etag)) {
      ctx.status = 304;
      return;
    }
    ctx.set("Content-Type", type);
    ctx.body = content;
  };
}
