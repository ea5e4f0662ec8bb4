import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import type { NewPet } from "../../../src/domain/pet.js";
import { codeOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite, type SqliteStorage } from "../../support/open-storages.js";
import { runProcess } from "../../support/run-process.js";

const REX: NewPet = { name: "Rex", categoryId: 7n, status: "sold" };

describe("SqlitePetRepository on the disk", () => {
  let path: string;
  let storage: SqliteStorage;

  const folder = inEmptyFolder();
  beforeEach(async () => {
    path = join(folder(), "pets.db");
    storage = await openSqlite(path);
  });
  afterEach(async () => {
    await storage.close();
  });

  /** Does something to the file through a connection of its own. */
  function meddle(sql: string): void {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  }

  const stored = () => storage.pets.list({ status: undefined, after: 0n, limit: 2 ** 31 });

  it("makes the folders of its file", async () => {
    const other = await openSqlite(join(folder(), "a/b/pets.db"));
    await other.pets.create(REX);
    await other.close();
    expect(readFileSync(join(folder(), "a/b/pets.db"), "latin1")).to.match(/^SQLite format 3\0/);
  });

  for (const name of [":memory:", "file:pets.db?mode=memory", "a b?c=d#e%41.db"]) {
    it(`takes ${name} for the name of a file, and for nothing else`, async () => {
      const before = process.cwd();
      process.chdir(folder());
      try {
        const first = await openSqlite(name);
        const { pet } = await first.pets.create(REX);
        await first.close();
        const second = await openSqlite(name);
        expect(await second.pets.get(pet.id)).to.deep.equal(pet);
        await second.close();
      } finally {
        process.chdir(before);
      }
    });
  }

  it("answers creates that arrive together after one commit, and others after one of their own", async () => {
    const before = commitsIn(`${path}-wal`);
    await Promise.all(Array.from({ length: 64 }, () => storage.pets.create(REX)));
    expect(commitsIn(`${path}-wal`)).to.equal(before + 1);
    for (let n = 0; n < 3; n++) await storage.pets.create(REX);
    expect(commitsIn(`${path}-wal`)).to.equal(before + 4);
  });

  it("ends the process if the thread that writes dies, so that a service manager starts it again", async () => {
    const dying = runProcess("sqlite-process", ["loseThread", path]);
    expect(await dying.nextLine()).to.equal("ends");
    await dying.release();
    expect((await stored()).map(({ name }) => name)).to.deep.equal(["Rex"]);
  });

  it("lets processes take turns for the lock: no create waits for 4.5 s, and no pet is lost", async () => {
    const others = Array.from({ length: 2 }, () => runProcess("sqlite-process", ["create", path]));
    for (const other of others) expect(await other.nextLine()).to.equal("ready");
    for (const other of others) other.go();
    let ended = false;
    const lines = Promise.all(others.map((other) => other.nextLine())).finally(() => (ended = true));
    let own = 0;
    let slowest = 0;
    while (!ended) {
      const begun = performance.now();
      await Promise.all(Array.from({ length: 10 }, () => storage.pets.create(REX)));
      slowest = Math.max(slowest, performance.now() - begun);
      own += 10;
    }
    const given = (await lines).map((line) => line.split(" ").map(BigInt));
    for (const other of others) await other.release();
    expect(given.map(({ length }) => length)).to.deep.equal([1000, 1000]);
    // No process starves: each gets turns between those of the others.
    expect(own).to.be.greaterThan(100);
    expect(slowest).to.be.lessThan(4500);
    const ids = new Set((await stored()).map(({ id }) => id));
    expect(ids.size).to.equal(2000 + own);
    expect(given.flat().every((id) => ids.has(id))).to.equal(true);
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
        const { pet: first } = await storage.pets.create(REX);
        meddle(
          `CREATE TABLE nobody (id INTEGER PRIMARY KEY);
           CREATE TABLE owned (owner INTEGER REFERENCES nobody DEFERRABLE INITIALLY DEFERRED);
           CREATE TRIGGER poison AFTER INSERT ON pets WHEN NEW.name = 'poison' BEGIN ${action}; END`,
        );
        const record = { key: "key", fingerprint: "fingerprint" };
        const batch = [
          storage.pets.create({ ...REX, name: "before" }, record),
          storage.pets.create({ ...REX, name: "poison" }),
          storage.pets.create({ ...REX, name: "after" }),
        ];
        for (const creation of batch) expect(await codeOf(creation)).to.equal("storage_unavailable");
        expect(await stored()).to.deep.equal([first]);
        // The key of a refused create is free, and the connection can be used.
        const again = await storage.pets.create({ ...REX, name: "again" }, record);
        expect(again.earlierFingerprint).to.equal(undefined);
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
