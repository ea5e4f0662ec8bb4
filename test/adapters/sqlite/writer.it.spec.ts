import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { codeOf } from "../../support/code-of.js";
import { until } from "../../support/eventually.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-sqlite.js";
import { runSqlite } from "./run-sqlite.js";

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

describe("SqlitePetRepository, as it writes", () => {
  let path: string;
  let storage: Awaited<ReturnType<typeof openSqlite>>;

  const folder = inEmptyFolder();
  beforeEach(async () => {
    path = join(folder(), "pets.db");
    storage = await openSqlite(path);
  });
  afterEach(() => storage.close());

  const create = (count: number) =>
    Promise.all(Array.from({ length: count }, () => storage.pets.create(REX)));
  const stored = () => storage.pets.list({ status: undefined, after: 0n, limit: 2 ** 31 });

  it("shares a commit among creates that arrive together, or while one is under way", async () => {
    const before = commitsIn(`${path}-wal`);
    await create(64);
    expect(commitsIn(`${path}-wal`)).to.equal(before + 1);
    const first = create(1);
    await new Promise(setImmediate);
    await Promise.all([first, create(10), sleep(0).then(() => create(10))]);
    expect(commitsIn(`${path}-wal`)).to.be.within(before + 2, before + 4);
    for (let n = 0; n < 3; n++) await create(1);
    expect(await stored()).to.have.length(88);
  });

  it("fails and loses no create while other processes write to the file", async () => {
    const others = Array.from({ length: 2 }, () => runSqlite("create", path));
    for (const other of others) expect(await other.nextLine()).to.equal("ready");
    for (const other of others) other.go();
    let ended = false;
    const lines = Promise.all(others.map((other) => other.nextLine())).finally(() => (ended = true));
    const ids: bigint[] = [];
    while (!ended) ids.push(...(await create(10)).map(({ pet }) => pet.id));
    for (const line of await lines) ids.push(...line.split(" ").map(BigInt));
    for (const other of others) await other.release();
    expect(ids.length).to.be.greaterThan(600);
    expect(new Set(ids)).to.deep.equal(new Set((await stored()).map(({ id }) => id)));
  });

  it("holds creates while another process holds the lock, rejects them in the end, and still reads", async () => {
    await create(1);
    const holder = runSqlite("lock", path);
    expect(await holder.nextLine()).to.equal("locked");
    let waiting = true;
    const refused = [storage.pets.create(REX), storage.ping(), storage.archive.raiseIds(9n)].map(codeOf);
    const all = Promise.all(refused).finally(() => (waiting = false));
    let reads = 0;
    for (; waiting; await sleep(10)) reads += (await stored()).length;
    expect(await all).to.deep.equal(Array(3).fill("storage_unavailable"));
    expect(reads).to.be.greaterThan(20);
    const late = storage.pets.create(REX);
    await holder.release();
    const { pet } = await late;
    expect((await stored()).slice(1)).to.deep.equal([pet]);
    await storage.ping();
  });

  it("shrinks its log after a long read by another process", async () => {
    const reader = new DatabaseSync(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM pets").get();
    const pet = { ...REX, name: "🐢".repeat(255) };
    for (let first = 1; first < 20_000; first += 1000) {
      const ids = Array.from({ length: 1000 }, (_, n) => BigInt(first + n));
      await storage.archive.storePets(ids.map((id) => ({ pet: { ...pet, id }, record: undefined })));
    }
    expect(statSync(`${path}-wal`).size).to.be.greaterThan(20 * 2 ** 20);
    reader.close();
    // Commits move the log into the file, and then start it anew.
    await until(async () => {
      await create(1);
      return statSync(`${path}-wal`).size <= 16 * 2 ** 20;
    });
  });

  const FAILURES: Record<string, string> = {
    "the statement alone is undone": "SELECT RAISE(ABORT, 'poison')",
    "the statement stops half way": "SELECT RAISE(FAIL, 'poison')",
    "SQLite has rolled back by itself": "SELECT RAISE(ROLLBACK, 'poison')",
    // The constraint is checked no sooner than at COMMIT, which then fails and leaves the transaction open.
    "COMMIT fails": "INSERT INTO owned VALUES (1)",
  };
  for (const [what, action] of Object.entries(FAILURES)) {
    it(`stores nothing of a batch that fails, and goes on: ${what}`, async () => {
      const other = new DatabaseSync(path);
      other.exec(
        `CREATE TABLE nobody (id INTEGER PRIMARY KEY);
         CREATE TABLE owned (owner INTEGER REFERENCES nobody DEFERRABLE INITIALLY DEFERRED);
         CREATE TRIGGER poison AFTER INSERT ON pets WHEN NEW.name = 'poison' BEGIN ${action}; END`,
      );
      other.close();
      const record = { key: "key", fingerprint: "fingerprint" };
      const batch = [storage.pets.create(REX, record), storage.pets.create({ ...REX, name: "poison" })];
      for (const creation of batch) expect(await codeOf(creation)).to.equal("storage_unavailable");
      const { pet, earlierFingerprint } = await storage.pets.create(REX, record);
      expect(earlierFingerprint).to.equal(undefined);
      expect(await stored()).to.deep.equal([pet]);
    });
  }
});

/** The commits in a write-ahead log: the frames that end a transaction (sqlite.org/fileformat2.html, section 4.1). */
function commitsIn(wal: string): number {
  const bytes = readFileSync(wal);
  const frameSize = 24 + bytes.readUInt32BE(8);
  let commits = 0;
  for (let offset = 32; offset < bytes.length; offset += frameSize)
    if (bytes.readUInt32BE(offset + 4) > 0) commits++;
  return commits;
}
