import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import Router from "@koa/router";
import type { State } from "./operations.js";

/** The API document and its page, as the build writes them. */
const FOLDER = new URL("./docs/public/", import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".yaml": "application/yaml",
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** Overrides the fixed headers: a document may be cached, and the page runs its own scripts. */
const HEADERS = {
  // A cache must revalidate its copy before each use (RFC 9111, section 5.2.2.4).
  "Cache-Control": "no-cache",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};

/** Serves the page at /docs and the API document at /openapi.*, without a key. Reads the files once. */
export function serveDocuments(): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const file of readdirSync(FOLDER)) {
    const path = file === "page.html" ? "/docs" : file.startsWith("openapi.") ? `/${file}` : `/docs/${file}`;
    const content = readFileSync(new URL(file, FOLDER));
    const headers = {
      ...HEADERS,
      "Content-Type": TYPES[extname(file)] ?? "",
      ETag: `"${hash("sha256", content)}"`,
    };
    router.get(path, (ctx) => {
      ctx.set(headers);
      ctx.body = content;
      if (ctx.fresh) ctx.status = 304;
    });
  }
  return router;
}
