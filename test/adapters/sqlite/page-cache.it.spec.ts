import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { PageCache } from "../../../src/adapters/sqlite/page-cache.js";
import type { PetRange } from "../../../src/application/ports/pet-repository.js";
import type { Pet } from "../../../src/domain/pet.js";
import { openSqlite } from "../../support/open-storages.js";
import { makeFolder } from "../../support/temporary-folder.js";

const range = (after: bigint, limit = 2): PetRange => ({ status: undefined, after, limit });

describe("PageCache", () => {
  let reads: bigint[];
  let stored: Pet[];
  const read = ({ after, limit }: PetRange) => {
    reads.push(after);
    return stored.filter(({ id }) => id > after).slice(0, limit);
  };

  beforeEach(() => {
    reads = [];
    stored = [1n, 2n, 3n].map((id) => ({ id, name: `${id}`, categoryId: id, status: "sold" }));
  });

  it("reads a full page once", () => {
    const cache = new PageCache();
    const first = cache.list(range(0n), 1n, read);
    expect(cache.list(range(0n), 1n, read)).to.deep.equal(first);
    expect(reads).to.deep.equal([0n]);
  });

  it("distinguishes pages by every part of their range", () => {
    const cache = new PageCache();
    for (const other of [range(0n), range(1n), range(0n, 1), { ...range(0n), status: "sold" as const }]) {
      cache.list(other, 1n, read);
    }
    expect(reads).to.have.lengthOf(4);
  });

  it("reads a page that is not full every time", () => {
    const cache = new PageCache();
    cache.list(range(2n), 1n, read);
    cache.list(range(2n), 1n, read);
    expect(reads).to.deep.equal([2n, 2n]);
  });

  it("reads everything again once the version is another", () => {
    const cache = new PageCache();
    cache.list(range(0n), 1n, read);
    stored = stored.slice(1);
    expect(cache.list(range(0n), 2n, read)).to.deep.equal(stored);
  });

  it("hands out a new array each time, of pets that cannot be changed", () => {
    const cache = new PageCache();
    cache.list(range(0n), 1n, read).pop();
    cache.list(range(0n), 1n, read).pop();
    expect(cache.list(range(0n), 1n, read)).to.have.lengthOf(2);
    expect(cache.list(range(0n), 1n, read).every(Object.isFrozen)).to.equal(true);
  });

  it("forgets the oldest page once there are too many", () => {
    const cache = new PageCache();
    for (let limit = 1; limit <= 257; limit++) {
      cache.list(range(0n, limit), 1n, () => Array(limit).fill(stored[0]));
    }
    cache.list(range(0n, 257), 1n, read);
    expect(reads).to.deep.equal([]);
    cache.list(range(0n, 1), 1n, read);
    expect(reads).to.deep.equal([0n]);
  });
});

describe("SqlitePetRepository with kept pages", () => {
  it("shows every change of another program to the file at once", async () => {
    const folder = makeFolder();
    const path = join(folder, "pets.db");
    const storage = await openSqlite(path);
    for (const name of ["a", "b", "c"]) await storage.pets.create({ name, categoryId: 1n, status: "sold" });
    const names = async () => (await storage.pets.list(range(0n))).map(({ name }) => name);
    expect(await names()).to.deep.equal(["a", "b"]);

    const other = new DatabaseSync(path);
    other.exec("DELETE FROM pets WHERE id = 1; UPDATE pets SET name = 'd' WHERE id = 3");
    expect(await names()).to.deep.equal(["b", "d"]);
    other.close();
    await storage.close();
  });
});
