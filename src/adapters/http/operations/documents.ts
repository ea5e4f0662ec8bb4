import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { HttpError } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

const FOLDER = new URL("../../../api-document/public/", import.meta.url);

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
  "X-Content-Type-Options": "nosniff",
};

/** The codes of the system if the process, or the whole machine, has no file descriptor left. */
const NO_DESCRIPTORS = new Set(["EMFILE", "ENFILE"]);

/** The handlers of the documents, by path. Each reads its file at the first request. */
export function documents(): ReadonlyMap<string, Handler> {
  return new Map(
    [...Object.entries(DOCUMENTS), ...scripts()].map(([path, { file, type }]) => [path, serve(file, type)]),
  );
}

function serve(file: string, type: string): Handler {
  let content: Promise<{ bytes: Buffer; etag: string }> | undefined;
  return async (ctx) => {
    content ??= read(file).catch((error) => {
      // The next request tries again: the failure, e.g. a lack of descriptors, may pass.
      content = undefined;
      throw NO_DESCRIPTORS.has(error.code)
        ? new HttpError("overloaded", "The service has no file descriptors left; try again later.")
        : error;
    });
    const { bytes, etag } = await content;
    ctx.set({ ...HEADERS, ETag: etag });
    if (ctx.req.headers["if-none-match"]?.includes(etag)) {
      ctx.status = 304;
      return;
    }
    ctx.set("Content-Type", type);
    ctx.body = bytes;
  };
}

async function read(file: string): Promise<{ bytes: Buffer; etag: string }> {
  const bytes = await readFile(new URL(file, FOLDER));
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
