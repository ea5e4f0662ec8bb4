import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SqlitePetRepository } from "../../../src/adapters/sqlite/sqlite-pet-repository.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";

describe("A SQLite file that was closed", () => {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => removeFolder(folder));

  it("has every pet without its -wal file", async () => {
    const repository = await SqlitePetRepository.open(join(folder, "pets.db"));
    const { pet } = await repository.create({ name: "Rex", categoryId: 1n, status: "available" });
    await repository.close();
    const copy = join(folder, "copy.db");
    copyFileSync(join(folder, "pets.db"), copy);
    const copied = await SqlitePetRepository.open(copy);
    expect(await copied.get(pet.id)).to.deep.equal(pet);
    await copied.close();
  });
});
