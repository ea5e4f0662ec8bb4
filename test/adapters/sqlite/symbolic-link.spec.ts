import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { look } from "../../../src/adapters/sqlite/look-at-file.js";
import { SqlitePetRepository } from "../../../src/adapters/sqlite/sqlite-pet-repository.js";
import type { NewPet } from "../../../src/domain/pet.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";

const REX: NewPet = { name: "Rex", categoryId: 7n, status: "sold" };

describe("A SQLite file behind a symbolic link", () => {
  let folder: string;
  let file: string;
  let link: string;

  beforeEach(() => {
    folder = makeFolder();
    mkdirSync(join(folder, "data"));
    file = join(folder, "data", "pets.db");
    link = join(folder, "link.db");
    symlinkSync("data/pets.db", link);
  });
  afterEach(() => removeFolder(folder));

  /** Opens one path, makes the file with it, and tells whether the other shows that somebody uses the file. */
  async function usedThrough(opened: string, looked: string): Promise<boolean | undefined> {
    const repository = await SqlitePetRepository.open(opened);
    await repository.create(REX);
    try {
      return (await look(looked)).inUse;
    } finally {
      await repository.close();
    }
  }

  it("shows by its link and by its path that it is in use, whichever of them opened it", async () => {
    expect(await usedThrough(link, file)).to.equal(true);
    expect(await usedThrough(file, link)).to.equal(true);
    expect(await usedThrough(link, link)).to.equal(true);
    expect(existsSync(`${link}-use`)).to.equal(false);
  });

  it("is the file whose write-ahead log the metrics measure", async () => {
    const repository = await SqlitePetRepository.open(link);
    await repository.create(REX);
    expect(repository.gauges.walBytes).to.be.greaterThan(4096);
    await repository.close();
  });

  it("is refused with a message if links lead round in a circle", async () => {
    symlinkSync("round.db", join(folder, "round.db"));
    const error = await SqlitePetRepository.open(join(folder, "round.db")).catch((error: Error) => error);
    expect(String(error)).to.match(/The SQLite file .*round\.db cannot be used: /);
  });
});
