import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describeContract } from "../../../src/contracts/storage-contract.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-storages.js";

describe("SqlitePetRepository", () => {
  const folder = inEmptyFolder();
  const open = () => openSqlite(join(folder(), "pets.db"));
  describeContract({
    open,
    reopen: open,
    shared: true,
    archive: true,
    async deletePet(id) {
      const database = new DatabaseSync(join(folder(), "pets.db"));
      database.prepare("DELETE FROM pets WHERE id = ?").run(id);
      database.close();
    },
  });
});
