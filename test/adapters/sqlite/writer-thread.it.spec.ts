import { join } from "node:path";
import { expect } from "chai";
import type { NewPet } from "../../../src/domain/pet.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite, type SqliteStorage } from "../../support/open-storages.js";
import { runProcess } from "../../support/run-process.js";

const REX: NewPet = { name: "Rex", categoryId: 7n, status: "sold" };

describe("The thread that writes to SQLite", () => {
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

  const stored = () => storage.pets.list({ status: undefined, after: 0n, limit: 2 ** 31 });

  it("ends the process by its death, so that a service manager starts it again", async () => {
    const dying = runProcess("sqlite-process", ["loseThread", path]);
    expect(await dying.nextLine()).to.equal("ends");
    await dying.release();
    expect((await stored()).map(({ name }) => name)).to.deep.equal(["Rex"]);
  });

  it("takes turns for the lock with other processes: no create waits for 4.5 s, and no pet is lost", async () => {
    const others = Array.from({ length: 2 }, () => runProcess("sqlite-process", ["create", path]));
    for (const other of others) expect(await other.nextLine()).to.equal("ready");
    for (const other of others) other.go();
    let ended = false;
    const lines = Promise.all(others.map((other) => other.nextLine())).finally(() => {
      ended = true;
    });
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
});
