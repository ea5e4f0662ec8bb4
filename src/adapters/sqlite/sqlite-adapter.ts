import type { StorageAdapter } from "../../application/storage-adapter.js";

/** Rejects control characters, e.g. a stray `\r`, and names with a special meaning to SQLite. */
const FORM = /^sqlite:(?!:memory:$|file:)\P{Cc}+$/u;

const sqlite: StorageAdapter = {
  api: 2,
  schemes: ["sqlite"],
  form: "sqlite:PATH",
  shared: true,
  durable: true,
  check: (url) =>
    FORM.test(url) ? undefined : "must have the path of a file, e.g. sqlite:./data/petstore.db",
  async open(url, context) {
    const { openSqlite } = await import("./open-sqlite.js");
    return openSqlite(url.slice("sqlite:".length), context);
  },
};

export default sqlite;
