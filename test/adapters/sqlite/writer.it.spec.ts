import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { LAST_ID } from "../../../src/domain/pet.js";
import { codeOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-sqlite.js";
import { lockElsewhere } from "./run-sqlite.js";

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
    expect(await stored()).to.have.length(85);
  });

  it("delays writes while another process holds the lock, rejects them in the end, and still reads", async () => {
    await create(1);
    const release = await lockElsewhere(path);
    let isWaiting = true;
    const refused = [storage.pets.create(REX), storage.ping(), storage.archive.raiseIds(9n)].map(codeOf);
    const all = Promise.all(refused).finally(() => (isWaiting = false));
    let reads = 0;
    for (; isWaiting; await sleep(10)) reads += (await stored()).length;
    expect(await all).to.deep.equal(Array(3).fill("storage_unavailable"));
    expect(reads).to.be.greaterThan(20);
    const late = storage.pets.create(REX);
    await release();
    const { pet } = await late;
    expect((await stored()).slice(1)).to.deep.equal([pet]);
    await storage.ping();
  });

  for (const [what, action] of [
    ["the statement alone is undone", "SELECT RAISE(ABORT, 'poison')"],
    ["SQLite has rolled back by itself", "SELECT RAISE(ROLLBACK, 'poison')"],
    // The constraint is checked only at COMMIT, which then fails and leaves the transaction open.
    ["COMMIT fails", "INSERT INTO owned VALUES (1)"],
  ] as const) {
    it(`rejects only the creates of a batch that fail: ${what}`, async () => {
      const other = new DatabaseSync(path);
      other.exec(
        `CREATE TABLE nobody (id INTEGER PRIMARY KEY);
         CREATE TABLE owned (owner INTEGER REFERENCES nobody DEFERRABLE INITIALLY DEFERRED);
         CREATE TRIGGER poison AFTER INSERT ON pets WHEN NEW.name = 'poison' BEGIN ${action}; END`,
      );
      other.close();
      const names = ["a", "b", "poison", "c", "poison", "d", "e"];
      const creations = names.map((name) => storage.pets.create({ ...REX, name }));
      const codes = await Promise.all(creations.map(codeOf));
      const expected = names.map((name) => (name === "poison" ? "storage_unavailable" : undefined));
      expect(codes).to.deep.equal(expected);
      expect((await stored()).map(({ name }) => name)).to.deep.equal(["a", "b", "c", "d", "e"]);
    });
  }

  it("assigns the last ids to the first creates, and still returns pets to retries", async () => {
    const repeat = () => storage.pets.create(REX, { key: "key", fingerprint: "" });
    const first = await repeat();
    await storage.archive.raiseIds(LAST_ID - 2n);
    const creations = Array.from({ length: 9 }, () => [storage.pets.create(REX), repeat()]).flat();
    const ids = creations.map((creation) =>
      creation.then(
        ({ pet }) => pet.id,
        () => "refused",
      ),
    );
    const left = [LAST_ID - 1n, LAST_ID, ...Array(7).fill("refused")];
    expect(await Promise.all(ids)).to.deep.equal(left.flatMap((id) => [id, first.pet.id]));
  });

  it("is closed within two lock time-outs while another process holds the lock", async () => {
    const release = await lockElsewhere(path);
    const refused = async () =>
      expect(await codeOf(storage.pets.create(REX))).to.equal("storage_unavailable");
    const startedAt = performance.now();
    await refused();
    const refusedAt = performance.now();
    const creates = [refused(), refused()];
    await sleep(100);
    await Promise.all([...creates, refused(), storage.close()]);
    expect((performance.now() - refusedAt) / (refusedAt - startedAt)).to.be.lessThan(1.7);
    await release();
    storage = await openSqlite(path);
  });
});

/** Counts the commits in a write-ahead log: the frames that end a transaction (sqlite.org/fileformat2.html, section 4.1). */
function commitsIn(wal: string): number {
  const bytes = readFileSync(wal);
  const frameSize = 24 + bytes.readUInt32BE(8);
  let commits = 0;
  for (let offset = 32; offset < bytes.length; offset += frameSize)
    if (bytes.readUInt32BE(offset + 4) > 0) commits++;
  return commits;
}
