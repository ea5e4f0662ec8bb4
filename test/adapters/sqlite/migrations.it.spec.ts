import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { expect } from "chai";
import { migrate, refuseForeign } from "../../../src/adapters/sqlite/migrations.js";
import { MIGRATIONS } from "../../../src/adapters/sqlite/schema.js";
import { messageOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-storages.js";

/** The version that is released, one step further, and two. */
const MORE_STEPS = [
  ...MIGRATIONS,
  "ALTER TABLE pets ADD COLUMN note TEXT; UPDATE pets SET note = 'old';",
  "CREATE TABLE toys (id INTEGER PRIMARY KEY)",
];

const RELEASED = MIGRATIONS.length;

describe("SQLite migrations", () => {
  let path: string;
  let databases: DatabaseSyncInstance[];

  const folder = inEmptyFolder();
  beforeEach(() => {
    path = join(folder(), "pets.db");
    databases = [];
  });
  afterEach(() => databases.forEach((database) => void database.close()));

  function connect(): DatabaseSyncInstance {
    const database = new DatabaseSync(path);
    databases.push(database);
    return database;
  }

  const versionOf = (database: DatabaseSyncInstance) =>
    database.prepare("PRAGMA user_version").get().user_version as number;
  const schemaOf = (database: DatabaseSyncInstance) =>
    String(
      database
        .prepare("SELECT sql FROM sqlite_schema")
        .all()
        .map(({ sql }) => sql),
    );

  async function storeOnePet(): Promise<void> {
    const storage = await openSqlite(path);
    await storage.pets.create({ name: "Rex", categoryId: 2n ** 63n - 1n, status: "sold" });
    await storage.close();
  }

  it("take a file of an older version forward, step by step, with its pets", async () => {
    await storeOnePet();
    const database = connect();
    migrate(database, MORE_STEPS.slice(0, RELEASED + 1));
    expect(versionOf(database)).to.equal(RELEASED + 1);
    expect(schemaOf(database)).to.include("note TEXT").and.not.include("toys");
    migrate(database, MORE_STEPS);
    expect(versionOf(database)).to.equal(RELEASED + 2);
    const select = database.prepare("SELECT * FROM pets");
    select.setReadBigInts(true);
    expect(select.get()).to.include({ name: "Rex", category_id: 2n ** 63n - 1n, note: "old" });
  });

  it("leave a file as it was if a step fails in its middle", async () => {
    await storeOnePet();
    const database = connect();
    const before = schemaOf(database);
    const steps = [...MORE_STEPS, "CREATE TABLE half (id INTEGER); CREATE TABLE pets (id INTEGER)"];
    expect(() => migrate(database, steps)).to.throw(/already exists/);
    expect(versionOf(database)).to.equal(RELEASED);
    expect(schemaOf(database)).to.equal(before);
    migrate(database, MORE_STEPS);
    expect(versionOf(database)).to.equal(RELEASED + 2);
  });

  it("refuse a file of a newer version, and leave it alone", async () => {
    await storeOnePet();
    const database = connect();
    migrate(database, MORE_STEPS);
    const versions = `schema version is ${RELEASED + 2}, and this program knows only ${RELEASED}; run the newer`;
    for (const mayMake of [true, false]) {
      expect(await messageOf(openSqlite(path, { mayMake }))).to.include(versions);
    }
    expect(versionOf(database)).to.equal(RELEASED + 2);
  });

  it("refuse no file that another process makes between two looks at it", () => {
    const database = connect();
    const looking = {
      prepare(sql: string) {
        const row = database.prepare(sql).get();
        migrate(connect(), MIGRATIONS);
        return { get: () => row };
      },
    };
    expect(() => refuseForeign(looking as unknown as DatabaseSyncInstance)).not.to.throw();
  });

  for (const [what, sql] of Object.entries({
    "tables that are not ours": "CREATE TABLE invoices (id INTEGER PRIMARY KEY)",
    "another application id": "PRAGMA application_id = 77",
    "tables that are not ours and our newest version": `CREATE TABLE pets (x); PRAGMA user_version = ${MIGRATIONS.length}`,
  })) {
    it(`refuse a database with ${what}, and change no byte of it`, async () => {
      const database = connect();
      database.exec(sql);
      databases.pop();
      database.close();
      const before = readFileSync(path);
      expect(await messageOf(openSqlite(path))).to.match(/database of another program; name another file/);
      expect(readFileSync(path).equals(before)).to.equal(true);
    });
  }
});
