import type { StorageAdapter } from "../../application/ports/storage-adapter.js";

/** A path; neither a database in memory, nor one of SQLite's own URLs. */
const FORM = /^sqlite:(?!:memory:$|file:).+/;

const sqlite: StorageAdapter = {
  api: 1,
  schemes: ["sqlite"],
  form: "sqlite:PATH",
  shared: true,
  durable: true,
  check: (url) =>
    FORM.test(url) ? undefined : "must have the path of a file, e.g. sqlite:./data/petstore.db",
  async open(url) {
    const { SqlitePetRepository } = await import("./sqlite-pet-repository.js");
    return SqlitePetRepository.open(url.slice("sqlite:".length));
  },
  async look(url) {
    const { look } = await import("./look.js");
    return look(url.slice("sqlite:".length));
  },
};

export default sqlite;
