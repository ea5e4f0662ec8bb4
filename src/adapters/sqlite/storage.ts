import type { StorageAdapter } from "../../application/ports/storage-adapter.js";

/** A path, and neither a database in memory nor one of SQLite's own URLs. */
const FORM = /^sqlite:(?!:memory:$|file:).+/;

const sqlite: StorageAdapter = {
  api: 1,
  schemes: ["sqlite"],
  form: "sqlite:PATH",
  shared: true,
  durable: true,
  check: (url) =>
    FORM.test(url) ? undefined : "must have the path of a file, e.g. sqlite:./data/petstore.db",
  async open(url, { log, addReading }) {
    const { SqlitePetRepository } = await import("./sqlite-pet-repository.js");
    const { readingsOf } = await import("./metrics.js");
    const repository = await SqlitePetRepository.open(url.slice("sqlite:".length), log);
    for (const reading of readingsOf(repository.gauges)) addReading(reading);
    return repository;
  },
  async look(url) {
    const { look } = await import("./look-at-file.js");
    return look(url.slice("sqlite:".length));
  },
};

export default sqlite;
