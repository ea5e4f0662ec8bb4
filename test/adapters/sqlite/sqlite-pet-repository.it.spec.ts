import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { SqlitePetRepository } from "../../../src/adapters/sqlite/sqlite-pet-repository.js";
import { describeContract } from "../../../src/contracts/storage-contract.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";

describe("SqlitePetRepository", () => {
  const folder = inEmptyFolder();
  const open = () => SqlitePetRepository.open(join(folder(), "pets.db"));
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
