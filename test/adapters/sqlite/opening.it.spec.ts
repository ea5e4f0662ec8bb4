import { copyFileSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { openToWrite, writeAhead } from "../../../src/adapters/sqlite/database.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-storages.js";
import { runProcess } from "../../support/run-process.js";

describe("A SQLite file", () => {
  const folder = inEmptyFolder();

  it("is made once by processes that open it at the same time", async () => {
    const path = join(folder(), "pets.db");
    const children = Array.from({ length: 4 }, () => runProcess("sqlite-process", ["create", path]));
    for (const child of children) expect(await child.nextLine()).to.equal("ready");
    for (const child of children) await child.kill();
  });

  it("has every pet without its -wal file once it is closed", async () => {
    const storage = await openSqlite(join(folder(), "pets.db"));
    const { pet } = await storage.pets.create({ name: "Rex", categoryId: 1n, status: "available" });
    await storage.close();
    const copy = join(folder(), "copy.db");
    copyFileSync(join(folder(), "pets.db"), copy);
    const copied = await openSqlite(copy);
    expect(await copied.pets.get(pet.id)).to.deep.equal(pet);
    await copied.close();
  });

  it("is written to by a connection whose commits wait for the disk", async () => {
    const path = join(folder(), "pets.db");
    const database = await openToWrite({ path, name: "pets.db", mayMake: true });
    const synchronous = database.prepare("PRAGMA synchronous").get();
    database.close();
    // FULL (sqlite.org/pragma.html#pragma_synchronous)
    expect(synchronous).to.deep.equal([2n]);
  });

  it("may be behind a symbolic link, even if it is not there yet", async () => {
    symlinkSync("pets.db", join(folder(), "link.db"));
    const storage = await openSqlite(join(folder(), "link.db"));
    await storage.close();
    expect(existsSync(join(folder(), "pets.db"))).to.equal(true);
  });

  it("is refused with a message if links lead round in a circle", async () => {
    symlinkSync("round.db", join(folder(), "round.db"));
    const error = await openSqlite(join(folder(), "round.db")).catch((error: Error) => error);
    expect(String(error)).to.match(/The SQLite file .*round\.db cannot be used: /);
  });

  it("is refused with a remedy if it cannot have a write-ahead log", () => {
    const database = new DatabaseSync(":memory:");
    expect(() => writeAhead(database)).to.throw(/cannot keep a write-ahead log .*put it on a local disk/);
    database.close();
  });
});
