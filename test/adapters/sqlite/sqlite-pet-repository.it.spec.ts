import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { SqlitePetRepository } from "../../../src/adapters/sqlite/sqlite-pet-repository.js";
import { describeContract } from "../../../src/contracts/storage-contract.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";

describe("SqlitePetRepository", () => {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => removeFolder(folder));

  const open = () => SqlitePetRepository.open(join(folder, "pets.db"));
  describeContract({
    open,
    reopen: open,
    shared: true,
    archive: true,
    async deletePet(id) {
      const database = new DatabaseSync(join(folder, "pets.db"));
      database.prepare("DELETE FROM pets WHERE id = ?").run(id);
      database.close();
    },
  });
});
