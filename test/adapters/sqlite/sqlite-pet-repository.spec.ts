import { join } from "node:path";
import { SqlitePetRepository } from "../../../src/adapters/sqlite/sqlite-pet-repository.js";
import { petRepositoryContract } from "../../contracts/pet-repository.contract.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";

describe("SqlitePetRepository", () => {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => removeFolder(folder));

  const open = () => SqlitePetRepository.open(join(folder, "pets.db"));
  petRepositoryContract({ open, reopen: open });
});
