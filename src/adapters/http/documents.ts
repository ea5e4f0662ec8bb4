import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Handler, Route } from "./context.js";

const FOLDER = new URL("./docs/public/", import.meta.url);

/** The public documents, by path: the API document and the page made from it. `npm run build` writes the files. */
const DOCUMENTS = {
  "/openapi.json": { file: "openapi.json", type: "application/json" },
  "/openapi.yaml": { file: "openapi.yaml", type: "application/yaml" },
  "/docs": { file: "page.html", type: "text/html; charset=utf-8" },
  "/docs/page.css": { file: "page.css", type: "text/css; charset=utf-8" },
};

/** The modules of the page, each at its name below `/docs/`. */
function scripts(): [string, { file: string; type: string }][] {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js"))
    .map((file) => [`/docs/${file}`, { file, type: "text/javascript; charset=utf-8" }]);
}

/** These headers replace those of the API: caches may keep a page, and a page runs its own scripts. */
const HEADERS = {
  // A cache may keep a copy, but must ask before it uses the copy again (RFC 9111, section 5.2.2.4).
  "Cache-Control": "no-cache",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};

/** The routes of the documents. Reads every file at once, so that a request needs no descriptor. */
export function documents(): readonly Route[] {
  return [...Object.entries(DOCUMENTS), ...scripts()].map(([path, { file, type }]) => {
    return { method: "get", path, handle: serve(readFileSync(new URL(file, FOLDER)), type) };
  });
}

function serve(content: Buffer, type: string): Handler {
  const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
  return (ctx) => {
    ctx.set({ ...HEADERS, ETag: etag });
    const known = ctx.get("If-None-Match");
    if (known === "*" || known.includes(etag)) {
      ctx.status = 304;
      return;
    }
    ctx.set("Content-Type", type);
    ctx.body = content;
  };
}
