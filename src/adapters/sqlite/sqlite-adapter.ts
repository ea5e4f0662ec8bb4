import type { StorageAdapter } from "../../application/storage-adapter.js";
import { unavailable, unusable } from "./sqlite-errors.js";

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
  async open(url, { mayMake }) {
    const path = url.slice("sqlite:".length);
    // Loads the driver only for a SQLite URL.
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const { createPetRepository } = await import("./sqlite-pet-repository.js");
    const { Writer } = await import("./writer.js");
    const writer = await Writer.open({ path, mayMake });
    try {
      const reader = new DatabaseSync(path, { returnArrays: true });
      const pets = createPetRepository(reader, writer);
      return {
        pets,
        archive: pets,
        async ping() {
          await writer.run([]).catch(unavailable);
        },
        async close() {
          await writer.close();
          reader.close();
        },
      };
    } catch (error) {
      await writer.close();
      throw unusable(path, error);
    }
  },
};

export default sqlite;
