import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { SqlitePetRepository } from "../../../src/adapters/sqlite/sqlite-pet-repository.js";
import type { NewPet } from "../../../src/domain/pet.js";
import { codeOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";

const REX: NewPet = { name: "Rex", categoryId: 7n, status: "sold" };

describe("SqlitePetRepository on the disk", () => {
  let path: string;
  let repository: SqlitePetRepository;

  const folder = inEmptyFolder();
  beforeEach(async () => {
    path = join(folder(), "pets.db");
    repository = await SqlitePetRepository.open(path);
  });
  afterEach(async () => {
    await repository.close();
  });

  /** Does something to the file through a connection of its own. */
  function meddle(sql: string): void {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  }

  const stored = () => repository.list({ status: undefined, after: 0n, limit: 10_000 });

  it("makes the folders of its file", async () => {
    const other = await SqlitePetRepository.open(join(folder(), "a/b/pets.db"));
    await other.create(REX);
    await other.close();
    expect(readFileSync(join(folder(), "a/b/pets.db"), "latin1")).to.match(/^SQLite format 3\0/);
  });

  for (const name of [":memory:", "file:pets.db?mode=memory", "a b?c=d#e%41.db"]) {
    it(`takes ${name} for the name of a file, and for nothing else`, async () => {
      const before = process.cwd();
      process.chdir(folder());
      try {
        const first = await SqlitePetRepository.open(name);
        const { pet } = await first.create(REX);
        await first.close();
        const second = await SqlitePetRepository.open(name);
        expect(await second.get(pet.id)).to.deep.equal(pet);
        await second.close();
      } finally {
        process.chdir(before);
      }
    });
  }

  it("answers creates that arrive together after one commit, and others after one of their own", async () => {
    const before = commitsIn(`${path}-wal`);
    await Promise.all(Array.from({ length: 64 }, () => repository.create(REX)));
    expect(commitsIn(`${path}-wal`)).to.equal(before + 1);
    for (let n = 0; n < 3; n++) await repository.create(REX);
    expect(commitsIn(`${path}-wal`)).to.equal(before + 4);
  });

  describe("if a batch fails", () => {
    const POISON: Record<string, string> = {
      "the statement alone is undone": "SELECT RAISE(ABORT, 'poison')",
      "the statement stops half way": "SELECT RAISE(FAIL, 'poison')",
      "SQLite has rolled back by itself": "SELECT RAISE(ROLLBACK, 'poison')",
      // The constraint is checked no sooner than at COMMIT, which then fails and leaves the transaction open.
      "COMMIT fails": "INSERT INTO owned VALUES (1)",
    };
    for (const [what, action] of Object.entries(POISON)) {
      it(`rejects every create of the batch, stores none, and goes on: ${what}`, async () => {
        const { pet: first } = await repository.create(REX);
        meddle(
          `CREATE TABLE nobody (id INTEGER PRIMARY KEY);
           CREATE TABLE owned (owner INTEGER REFERENCES nobody DEFERRABLE INITIALLY DEFERRED);
           CREATE TRIGGER poison AFTER INSERT ON pets WHEN NEW.name = 'poison' BEGIN ${action}; END`,
        );
        const record = { key: "key", fingerprint: "fingerprint" };
        const batch = [
          repository.create({ ...REX, name: "before" }, record),
          repository.create({ ...REX, name: "poison" }),
          repository.create({ ...REX, name: "after" }),
        ];
        for (const creation of batch) expect(await codeOf(creation)).to.equal("storage_unavailable");
        expect(await stored()).to.deep.equal([first]);
        // The key of a refused create is free, and the connection can be used.
        const again = await repository.create({ ...REX, name: "again" }, record);
        expect(again.replayed).to.equal(undefined);
        expect(await stored()).to.deep.equal([first, again.pet]);
      });
    }
  });
});

/**
 * The commits in a write-ahead log: its frames that say how many pages the database has after them, as the last
 * one of each transaction does (sqlite.org/fileformat2.html, section 4.1).
 */
function commitsIn(wal: string): number {
  const bytes = readFileSync(wal);
  const frameSize = 24 + bytes.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at < bytes.length; at += frameSize) if (bytes.readUInt32BE(at + 4) > 0) commits++;
  return commits;
}
