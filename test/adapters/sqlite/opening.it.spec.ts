import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { expect } from "chai";
import { openToWrite } from "../../../src/adapters/sqlite/database.js";
import { SCHEMA_STEPS } from "../../../src/adapters/sqlite/schema-steps.js";
import { messageOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-sqlite.js";
import { runSqlite } from "./run-sqlite.js";

const REX = { name: "Rex", categoryId: 2n ** 63n - 1n, status: "sold" } as const;

/** What sqlite3's `.dump` prints of a database of 3.0.0. */
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

  async function create(): Promise<void> {
    const storage = await openSqlite(path);
    await storage.pets.create(REX);
    await storage.close();
  }

  it("is created with its folders, and has every pet without its -wal once it is closed", async () => {
    path = join(folder(), "a/b/pets.db");
    await create();
    const copy = join(folder(), "copy.db");
    copyFileSync(path, copy);
    const storage = await openSqlite(copy, { mayMake: false });
    expect(await storage.pets.get(1n)).to.deep.equal({ id: 1n, ...REX });
    await storage.close();
  });

  it("is created once by processes that open it at the same time", async () => {
    const children = Array.from({ length: 4 }, () => runSqlite("create", path));
    for (const child of children) expect(await child.nextLine()).to.equal("ready");
    for (const child of children) await child.kill();
  });

  it("is opened as 3.0.0 left it, with its pets, keys and highest id", async () => {
    make(`${FILE_OF_3_0_0} PRAGMA journal_mode = WAL`);
    writeFileSync(`${path}.made`, "");
    const storage = await openSqlite(path);
    const rex = { id: 1n, ...REX };
    const pets = [rex, { id: 7n, name: "Max", categoryId: -1n, status: "pending" }];
    expect(await storage.pets.list({ status: undefined, after: 0n, limit: 9 })).to.deep.equal(pets);
    const again = await storage.pets.create(REX, { key: "key", fingerprint: "other" });
    expect(again).to.deep.equal({ pet: rex, earlierFingerprint: "fingerprint" });
    expect((await storage.pets.create(REX)).pet.id).to.equal(10n);
    await storage.close();
  });

  for (const [what, prepare, message] of [
    ["belongs to another program", "CREATE TABLE invoices (id INTEGER)", /another program/],
    ["belongs to another program, without tables", "PRAGMA application_id = 77", /another program/],
    ["has another program's table pets", "CREATE TABLE pets (x); PRAGMA user_version = 1", /another program/],
    ["is of a newer version", `${FILE_OF_3_0_0} PRAGMA user_version = 2`, /schema version is 2/],
    ["was restored from a dump", DUMP_OF_3_0_0, /\.dump/],
    ["is not a database", () => writeFileSync(path, "not a database. ".repeat(1000)), /corrupt/],
    ["is a folder", () => mkdirSync(path), /folder/],
  ] as const) {
    it(`is refused with what to do, and left as it is, if it ${what}`, async () => {
      if (typeof prepare === "string") make(prepare);
      else prepare();
      const read = () => (statSync(path).isFile() ? readFileSync(path, "base64") : "");
      const before = read();
      for (const mayMake of [true, false])
        expect(await messageOf(openSqlite(path, { mayMake }))).to.match(message);
      expect(read()).to.equal(before);
    });
  }

  it("is neither created nor changed without permission", async () => {
    const open = () => messageOf(openSqlite(path, { mayMake: false }));
    expect(await open()).to.match(/does not exist/);
    expect(readdirSync(folder())).to.deep.equal([]);
    writeFileSync(path, "");
    expect(await open()).to.match(/is empty/);
    expect(readdirSync(folder())).to.deep.equal(["pets.db"]);
    expect(readFileSync(path)).to.have.length(0);
  });

  it("is refused while another process holds its lock for too long, and opened if it lets go in time", async () => {
    await create();
    const holder = runSqlite("lock", path);
    expect(await holder.nextLine()).to.equal("locked");
    expect(await messageOf(openSqlite(path))).to.match(/locked/);
    const opening = openSqlite(path);
    await holder.release();
    await (await opening).close();
  });

  it("is opened once another process has finished the transaction in which it creates it", async () => {
    const creator = new DatabaseSync(path);
    creator.exec("BEGIN IMMEDIATE; CREATE TABLE passing (x)");
    const opening = openSqlite(path);
    await sleep(1000);
    creator.exec("ROLLBACK");
    creator.close();
    await (await opening).close();
  });

  describe("of an earlier schema version", () => {
    const steps = [...SCHEMA_STEPS, "CREATE TABLE toys (id INTEGER PRIMARY KEY) STRICT"];
    const tables = (database: DatabaseSyncInstance) =>
      database
        .prepare("SELECT user_version, name FROM sqlite_schema, pragma_user_version WHERE name = 'toys'")
        .all();

    it("is upgraded by the steps that it lacks, with all that it has", async () => {
      make(FILE_OF_3_0_0);
      for (let time = 0; time < 2; time++) {
        const database = openToWrite({ path, mayMake: true }, steps);
        expect(tables(database)).to.deep.equal([[2, "toys"]]);
        expect(database.prepare("SELECT count(*) FROM pets").all()).to.deep.equal([[2]]);
        database.close();
      }
      expect(await messageOf(openSqlite(path))).to.match(/schema version is 2/);
    });

    it("is left as it is if a step fails", () => {
      make(FILE_OF_3_0_0);
      const failing = [...steps, "CREATE TABLE toys (x)"];
      expect(() => openToWrite({ path, mayMake: true }, failing)).to.throw(/toys/);
      const database = openToWrite({ path, mayMake: false });
      expect(tables(database)).to.deep.equal([]);
      database.close();
    });

    it("is refused with what to do, and left as it is, without permission to upgrade it", () => {
      for (const version of [0, 1]) {
        make(`${version ? "" : FILE_OF_3_0_0} PRAGMA user_version = ${version}`);
        const before = readFileSync(path, "base64");
        expect(() => openToWrite({ path, mayMake: false }, steps)).to.throw(/start the service on it once/);
        expect(readFileSync(path, "base64")).to.equal(before);
      }
    });

    it("is opened with its pets even if its version was reset", async () => {
      make(`${FILE_OF_3_0_0} PRAGMA user_version = 0`);
      const storage = await openSqlite(path);
      expect((await storage.pets.get(7n))?.name).to.equal("Max");
      await storage.close();
    });
  });

  it("is refused by name, and leaves no thread behind, if its table lacks a column", async () => {
    make(FILE_OF_3_0_0.replace("name TEXT NOT NULL", "title TEXT"));
    const child = runSqlite("createOne", path);
    expect(await child.nextLine()).to.match(/pets\.db cannot be used: no such column/);
    await child.release();
  });

  describe("that its user may not write", () => {
    // Permissions do not bind root, unless it drops these rights.
    const through =
      process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : [];
    // Only root could remove a folder that is read-only.
    afterEach(() => chmodSync(folder(), 0o700));

    /** In a process that holds no file open. */
    async function create(file: string): Promise<string> {
      const child = runSqlite("createOne", file, process.env, through);
      const line = await child.nextLine();
      await child.release();
      return line;
    }

    for (const [what, forbid, file] of [
      ["it", () => chmodSync(path, 0o444), "pets.db"],
      ["its folder, which must hold the log,", () => chmodSync(folder(), 0o555), "pets.db"],
      ["its -wal", () => writeFileSync(`${path}-wal`, "", { mode: 0o444 }), "pets.db"],
      ["the folder of its folder", () => chmodSync(folder(), 0o555), "new/new.db"],
    ] as const) {
      it(`is refused with what to do if ${what} is read-only`, async () => {
        expect(await create(path)).to.equal("created");
        forbid();
        expect(await create(join(folder(), file))).to.match(/this user may not write it/);
      });
    }
  });
});
