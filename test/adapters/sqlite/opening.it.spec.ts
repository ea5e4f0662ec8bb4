import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { openToWrite, SCHEMA_STEPS } from "../../../src/adapters/sqlite/database.js";
import { messageOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-sqlite.js";
import { createElsewhere, lockElsewhere } from "./run-sqlite.js";

const REX = { name: "Rex", categoryId: 2n ** 63n - 1n, status: "sold" } as const;
const ALL = { status: undefined, after: 0n, limit: 1000 };

const DUMP_OF_3_0_0 = `
  CREATE TABLE pets (
     id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
     idempotency_key TEXT,
     idempotency_fingerprint TEXT
   ) STRICT;
  INSERT INTO pets VALUES(1,'Rex',9223372036854775807,'sold','key','fingerprint');
  INSERT INTO pets VALUES(7,'Max',-1,'pending',NULL,NULL);
  UPDATE sqlite_sequence SET seq = 9;
  CREATE INDEX pets_by_status ON pets (status);
  CREATE UNIQUE INDEX pets_by_idempotency_key ON pets (idempotency_key) WHERE idempotency_key IS NOT NULL;`;
const FILE_OF_3_0_0 = `${DUMP_OF_3_0_0} PRAGMA application_id = 1885697139; PRAGMA user_version = 1;`;
const CURRENT = SCHEMA_STEPS.length;
const LACKING_A_COLUMN = `${FILE_OF_3_0_0.replace("name TEXT NOT NULL", "title TEXT")} PRAGMA user_version = ${CURRENT}`;

describe("A SQLite file", () => {
  let path: string;

  const folder = inEmptyFolder();
  beforeEach(() => {
    path = join(folder(), "pets.db");
  });

  function make(sql: string): void {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  }

  it("waits for the disk at each commit, and keeps its log short", () => {
    const database = openToWrite({ path, mayMake: true });
    expect(database.prepare("PRAGMA synchronous").get()).to.deep.equal([2]);
    expect(database.prepare("PRAGMA journal_size_limit").get()).to.deep.equal([16 * 2 ** 20]);
    database.close();
  });

  it("is created with its folders, and contains every pet without its -wal once it is closed", async () => {
    path = join(folder(), "a/b/pets.db");
    let storage = await openSqlite(path);
    const { pet } = await storage.pets.create(REX);
    await storage.close();
    const copy = join(folder(), "copy.db");
    copyFileSync(path, copy);
    storage = await openSqlite(copy, { mayMake: false });
    expect(await storage.pets.get(1n)).to.deep.equal(pet);
    await storage.close();
  });

  it("is created once by processes that open it at the same time, and keeps the pets of each", async () => {
    const created = await Promise.all(Array.from({ length: 4 }, () => createElsewhere(path)));
    expect(created).to.deep.equal(Array(4).fill("created"));
    const storage = await openSqlite(path);
    expect(await storage.pets.list(ALL)).to.have.length(80);
    await storage.close();
  });

  it("is opened as 3.0.0 left it, with its pets, keys and highest id, even if its version was reset", async () => {
    make(`${FILE_OF_3_0_0} PRAGMA user_version = 0`);
    const storage = await openSqlite(path);
    const rex = { id: 1n, ...REX };
    const pets = [rex, { id: 7n, name: "Max", categoryId: -1n, status: "pending" }];
    expect(await storage.pets.list(ALL)).to.deep.equal(pets);
    const again = await storage.pets.create(REX, { key: "key", fingerprint: "other" });
    expect(again).to.deep.equal({ pet: rex, earlierFingerprint: "fingerprint" });
    expect((await storage.pets.create(REX)).pet.id).to.equal(10n);
    await storage.close();
  });

  for (const [what, prepare, message] of [
    ["belongs to another program", "CREATE TABLE invoices (id INTEGER)", /another program/],
    ["is of a newer version", `${FILE_OF_3_0_0} PRAGMA user_version = ${CURRENT + 1}`, /schema version is/],
    ["was restored from a dump", DUMP_OF_3_0_0, /\.dump/],
    ["lacks a column", LACKING_A_COLUMN, /no such column/],
    ["is not a database", () => writeFileSync(path, "not a database. ".repeat(1000)), /corrupt/],
    ["is empty, and may not be made", () => writeFileSync(path, ""), /is empty/],
  ] as const) {
    it(`is refused with what to do, and left as it is, if it ${what}`, async () => {
      if (typeof prepare === "string") make(prepare);
      else prepare();
      const before = readFileSync(path, "base64");
      expect(await messageOf(openSqlite(path, { mayMake: false }))).to.match(message);
      expect(readFileSync(path, "base64")).to.equal(before);
    });
  }

  it("is opened once another process has finished the transaction that creates it", async () => {
    const creator = new DatabaseSync(path);
    creator.exec("BEGIN IMMEDIATE; CREATE TABLE passing (x)");
    const opening = openSqlite(path);
    await sleep(1000);
    creator.exec("ROLLBACK");
    creator.close();
    await (await opening).close();
  });

  describe("and its schema version", () => {
    const steps = [...SCHEMA_STEPS, "CREATE TABLE toys (id INTEGER PRIMARY KEY) STRICT"];
    beforeEach(() => make(`${FILE_OF_3_0_0} PRAGMA journal_mode = WAL`));

    it("is upgraded by the missing steps, all or none, and keeps its content", () => {
      for (const mayMake of [true, false]) {
        const database = openToWrite({ path, mayMake }, steps);
        expect(database.prepare("SELECT count(*) FROM pets LEFT JOIN toys").get()).to.deep.equal([2]);
        database.close();
      }
      const failing = [...steps, "CREATE TABLE balls (x)", "CREATE TABLE toys (x)"];
      expect(() => openToWrite({ path, mayMake: true }, failing)).to.throw(/toys/);
      openToWrite({ path, mayMake: false }, steps).close();
    });

    it("is refused with what to do, and left as it is, if it is old and may not be upgraded", () => {
      const before = readFileSync(path, "base64");
      expect(() => openToWrite({ path, mayMake: false }, steps)).to.throw(/start the service on it once/);
      expect(readFileSync(path, "base64")).to.equal(before);
    });

    it("needs the lock that another process holds only if it is old", async () => {
      await (await openSqlite(path)).close();
      const release = await lockElsewhere(path);
      const storage = await openSqlite(path);
      expect((await storage.pets.get(7n))?.name).to.equal("Max");
      await storage.close();
      expect(() => openToWrite({ path, mayMake: true }, steps)).to.throw(/locked/);
      await release();
    });
  });

  describe("that its user may not write", () => {
    // Permissions do not bind root, unless it drops these rights.
    const through =
      process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : [];
    // Only root could remove a folder that is read-only.
    afterEach(() => chmodSync(folder(), 0o700));

    for (const [what, forbid, file] of [
      ["it", () => chmodSync(path, 0o444), "pets.db"],
      ["its folder, which must hold the log,", () => chmodSync(folder(), 0o555), "pets.db"],
      ["its -wal", () => writeFileSync(`${path}-wal`, "", { mode: 0o444 }), "pets.db"],
      ["the folder of its folder", () => chmodSync(folder(), 0o555), "new/new.db"],
    ] as const) {
      it(`is refused with what to do if ${what} is read-only`, async () => {
        expect(await createElsewhere(path, through)).to.equal("created");
        forbid();
        const message = await createElsewhere(join(folder(), file), through);
        expect(message).to.match(/this user may not write it/);
      });
    }
  });
});
