import { readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { expect } from "chai";
import { openToWrite } from "../../../src/adapters/sqlite/database.js";
import { FileWatch } from "../../../src/adapters/sqlite/file-watch.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";

const CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)";

describe("FileWatch", () => {
  const folder = inEmptyFolder();
  let path: string;
  let database: DatabaseSyncInstance;
  let other: DatabaseSyncInstance;

  beforeEach(async () => {
    path = join(folder(), "pets.db");
    database = await openToWrite({ path, name: path, mayMake: true });
    other = new DatabaseSync(path);
  });
  afterEach(() => {
    database.close();
    other.close();
  });

  function insert(name = "Rex"): void {
    database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, 7, 'sold')").run(name);
  }

  it("takes what another connection's checkpoint wrote for what it is, though the next commit begins the log anew", () => {
    const watch = new FileWatch(database, path);
    other.exec(CHECKPOINT);
    insert();
    watch.look();
  });

  it("takes it for that, too, if the checkpoint ends amid a look", () => {
    let amid = () => {};
    const watch = new FileWatch(
      {
        exec: (sql: string) => database.exec(sql),
        prepare(sql: string) {
          const statement = database.prepare(sql);
          return {
            get() {
              amid();
              return statement.get();
            },
          };
        },
      } as DatabaseSyncInstance,
      path,
    );
    insert();
    amid = () => other.exec(CHECKPOINT);
    watch.look();
    amid = () => {};
    watch.look();
  });

  it("takes nothing for what its own checkpoint wrote that came after it", () => {
    const watch = new FileWatch(database, path);
    other.exec(CHECKPOINT);
    const backup = readFileSync(path);
    watch.look();
    insert("x".repeat(5_000_000));
    watch.look();
    watch.checkpoint();
    writeFileSync(path, backup);
    watch.checkpoint();
    expect(() => watch.look()).to.throw(/^Another program has changed the SQLite file/);
  });

  it("leaves it to the next look to say that the files cannot be looked at", () => {
    const watch = new FileWatch(database, path);
    // Its reader holds up the checkpoint.
    other.exec("BEGIN; SELECT * FROM pets");
    insert("x".repeat(5_000_000));
    watch.look();
    renameSync(folder(), `${folder()}.away`);
    symlinkSync(folder(), folder());
    try {
      watch.checkpoint();
      expect(() => watch.look()).to.throw(/ELOOP/);
    } finally {
      rmSync(folder());
      renameSync(`${folder()}.away`, folder());
    }
    watch.look();
  });

  it("takes what its own checkpoint wrote for its own, though the disk was full before its end", () => {
    let checkpoints = 0;
    const watch = new FileWatch(
      {
        exec(sql: string) {
          if (sql !== CHECKPOINT) return database.exec(sql);
          checkpoints++;
          utimesSync(path, new Date(), new Date());
          throw new Error("database or disk is full");
        },
        prepare: (sql: string) => database.prepare(sql),
      } as DatabaseSyncInstance,
      path,
    );
    insert("x".repeat(5_000_000));
    watch.look();
    watch.checkpoint();
    watch.look();
    expect(checkpoints).to.equal(1);
  });
});
