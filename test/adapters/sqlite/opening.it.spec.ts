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
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { messageOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-sqlite.js";
import { runSqlite } from "./run-sqlite.js";

const REX = { name: "Rex", categoryId: 2n ** 63n - 1n, status: "sold" } as const;

/** What sqlite3's `.dump` prints of a database that 3.0.0 made. */
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
const MARKS_OF_3_0_0 = "PRAGMA application_id = 1885697139; PRAGMA user_version = 1;";

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

  async function create(file = path): Promise<void> {
    const storage = await openSqlite(file);
    await storage.pets.create(REX);
    await storage.close();
  }

  it("is made with its folders, and has every pet without its -wal once it is closed", async () => {
    path = join(folder(), "a/b/pets.db");
    await create();
    const copy = join(folder(), "copy.db");
    copyFileSync(path, copy);
    const storage = await openSqlite(copy, { mayMake: false });
    expect(await storage.pets.get(1n)).to.deep.equal({ id: 1n, ...REX });
    await storage.close();
  });

  it("is made once by processes that open it at the same time", async () => {
    const children = Array.from({ length: 4 }, () => runSqlite("create", path));
    for (const child of children) expect(await child.nextLine()).to.equal("ready");
    for (const child of children) await child.kill();
  });

  it("is opened as 3.0.0 left it, with its pets, keys and highest id", async () => {
    make(`${DUMP_OF_3_0_0 + MARKS_OF_3_0_0} PRAGMA journal_mode = WAL`);
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

  const FOREIGN = /is the database of another program; name another file/;
  const DAMAGED = /is damaged, or no SQLite database; restore it from a backup, or name another file/;
  const REFUSED: Record<string, [make: () => unknown, message: RegExp]> = {
    "is of another program": [() => make("CREATE TABLE invoices (id INTEGER)"), FOREIGN],
    "is of another program, without tables": [() => make("PRAGMA application_id = 77"), FOREIGN],
    "has our name for a table, of another program": [
      () => make("CREATE TABLE pets (x); PRAGMA user_version = 1"),
      FOREIGN,
    ],
    "is of a newer version": [
      () => make(`${DUMP_OF_3_0_0 + MARKS_OF_3_0_0} PRAGMA user_version = 2`),
      /schema version is 2, and this program knows only 1; run the newer program/,
    ],
    "was made from a dump": [() => make(DUMP_OF_3_0_0), /made from a \.dump, .*; use \.backup instead/],
    "is no database": [() => writeFileSync(path, "no database at all. ".repeat(1000)), DAMAGED],
    "is a folder": [() => mkdirSync(path), /is a folder, or this user may not write it/],
  };
  for (const [what, [prepare, message]] of Object.entries(REFUSED)) {
    it(`is refused with what to do, and left as it is, if it ${what}`, async () => {
      prepare();
      const read = () => (statSync(path).isFile() ? readFileSync(path, "base64") : "");
      const before = read();
      for (const mayMake of [true, false])
        expect(await messageOf(openSqlite(path, { mayMake }))).to.match(message);
      expect(read()).to.equal(before);
    });
  }

  it("is not made, and not changed, by who may not make it", async () => {
    const open = () => messageOf(openSqlite(path, { mayMake: false }));
    expect(await open()).to.match(/is not there; correct the path/);
    expect(readdirSync(folder())).to.deep.equal([]);
    writeFileSync(path, "");
    expect(await open()).to.match(/is empty; name another file/);
    expect(readdirSync(folder())).to.deep.equal(["pets.db"]);
    expect(readFileSync(path)).to.have.length(0);
  });

  it("is refused with what to do while another process holds its lock for long", async () => {
    await create();
    const holder = runSqlite("lock", path);
    expect(await holder.nextLine()).to.equal("locked");
    expect(await messageOf(openSqlite(path))).to.match(/another program holds its lock; end that program/);
    await holder.release();
    expect(await messageOf(create())).to.equal(undefined);
  });

  describe("that its user may not write", () => {
    // Permissions do not bind root, unless it drops these rights.
    const through =
      process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : [];
    // Only root could remove a folder that is read-only.
    afterEach(() => chmodSync(folder(), 0o700));

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
        const line = await create(join(folder(), file));
        expect(line).to.match(/this user may not write it, .*; correct the path, or their owner/);
      });
    }
  });
});
