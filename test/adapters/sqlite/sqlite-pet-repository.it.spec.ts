import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describeContract } from "../../../src/storage-kit/storage-contract.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-storages.js";

describe("SqlitePetRepository", () => {
  const folder = inEmptyFolder();
  let file: string;
  const reopen = () => openSqlite(file);
  describeContract({
    open() {
      file = join(folder(), `${randomUUID()}.db`);
      return reopen();
    },
    reopen,
    shared: true,
    archive: true,
    async deletePet(id) {
      const database = new DatabaseSync(file);
      database.prepare("DELETE FROM pets WHERE id = ?").run(id);
      database.close();
    },
  });
});
