import { stat } from "node:fs/promises";
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
    const repository = await SqlitePetRepository.open(url.slice("sqlite:".length), log);
    for (const reading of repository.readings) addReading(reading);
    return repository;
  },
  async look(url) {
    // A file is the same under any path that leads to it: symbolic links, hard links, other spellings.
    const found = await stat(url.slice("sqlite:".length), { bigint: true }).catch(() => undefined);
    return { exists: found !== undefined, ...(found && { identity: `${found.dev} ${found.ino}` }) };
  },
};

export default sqlite;
