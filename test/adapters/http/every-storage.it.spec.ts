import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { SILENT_CONTEXT } from "../../../src/application/ports/storage.js";
import { openStorage } from "../../../src/storages/open-storage.js";
import { loadStorages } from "../../../src/storages/storages.js";
import { openSqlite } from "../../support/open-storages.js";
import { storageOf } from "../../support/start-app.js";
import { makeFolder } from "../../support/temporary-folder.js";
import { itServesOver } from "./every-storage.js";

/** The URL of a storage from outside, with `{n}` for the name of each storage, in place of those built in. */
const OUTSIDE = process.env.PETSTORE_TEST_STORAGE;

if (OUTSIDE) {
  let made = 0;
  describe("The service on a storage from outside", () => {
    const make = () => ({
      async open() {
        const storages = await loadStorages(process.env.PETSTORE_STORAGE_ADAPTERS);
        return openStorage(OUTSIDE.replaceAll("{n}", `t${++made}`), storages, SILENT_CONTEXT);
      },
    });
    itServesOver(make);
  });
} else {
  describe("The service on memory", () => {
    itServesOver(() => ({ open: async () => storageOf(new MemoryPetRepository()) }));
  });

  describe("The service on SQLite", () => {
    const make = () => {
      const folder = makeFolder();
      const file = join(folder, "petstore.db");
      return {
        open: () => openSqlite(file),
        async takeAway() {
          const other = new DatabaseSync(file);
          other.exec("BEGIN IMMEDIATE");
          return async () => other.close();
        },
      };
    };
    itServesOver(make, true);
  });
}
