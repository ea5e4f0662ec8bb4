import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import sqlite from "../../../src/adapters/sqlite/sqlite-adapter.js";
import { describeContract, otherProcess, storageOf } from "../../../src/storage-kit/storage-contract.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";

describe("SqlitePetRepository", () => {
  const folder = inEmptyFolder();
  const surroundings = {
    ...otherProcess(),
    archive: true,
    newUrl: () => `sqlite:${join(folder(), `${randomUUID()}.db`)}`,
    async deletePet(url: string, id: bigint) {
      const database = new DatabaseSync(url.slice("sqlite:".length));
      database.prepare("DELETE FROM pets WHERE id = ?").run(id);
      database.close();
    },
  };
  describeContract(storageOf(sqlite, surroundings));
});
