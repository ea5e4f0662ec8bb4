import { renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { expect } from "chai";
import type { NewPet, Pet } from "../../../src/domain/pet.js";
import { captureLog } from "../../support/captured-log.js";
import { codeOf } from "../../support/code-of.js";
import { until } from "../../support/eventually.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite, type SqliteStorage } from "../../support/open-storages.js";
import { runProcess } from "../../support/run-process.js";

const REX: NewPet = { name: "Rex", categoryId: 7n, status: "sold" };

/** Threads that have started, the newest one last. */
const threads: Worker[] = [];
process.on("worker", (thread) => threads.push(thread));

/** Ends the newest thread by an error, since it can read no such message. Resolves once it has ended. */
async function endThread(): Promise<void> {
  const thread = threads.at(-1) as Worker;
  const ended = new Promise((resolve) => thread.once("exit", resolve));
  thread.postMessage(null);
  await ended;
}

describe("The thread that writes to SQLite", () => {
  let path: string;
  let storage: SqliteStorage;
  let log: ReturnType<typeof captureLog>;

  const folder = inEmptyFolder();
  beforeEach(async () => {
    path = join(folder(), "pets.db");
    log = captureLog();
    storage = await openSqlite(path, { log: log.log });
  });
  afterEach(async () => {
    await storage.close();
  });

  const stored = () => storage.pets.list({ status: undefined, after: 0n, limit: 2 ** 31 });
  const usable = () => until(async () => (await codeOf(storage.ping())) === undefined);

  it("is started again if it dies; no acknowledged pet is lost, and none is stored twice", async () => {
    const acknowledged: Pet[] = [];
    let refused = 0;
    let ended = false;
    async function keepCreating(client: number): Promise<void> {
      for (let n = 0; !ended; n++) {
        const name = `${client} ${n}`;
        const record = { key: name, fingerprint: name };
        for (let creation: unknown; creation === undefined; ) {
          creation = await storage.pets.create({ ...REX, name }, record).then(
            ({ pet }) => acknowledged.push(pet),
            () => void refused++,
          );
          await sleep(1);
        }
      }
    }
    const clients = Array.from({ length: 8 }, (_, client) => keepCreating(client));
    const before = threads.length;
    for (let death = 1; death <= 5; death++) {
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 20);
      await endThread();
      // Reads go on all the while.
      expect((await storage.pets.get(1n))?.id).to.equal(1n);
      expect(await codeOf(storage.ping())).to.equal("storage_unavailable");
      await usable();
    }
    ended = true;
    await Promise.all(clients);
    expect(threads.length - before).to.equal(5);
    expect(refused).to.be.greaterThan(0);
    expect(log.lines.map(({ msg }) => msg)).to.deep.equal(
      Array(5).fill("the thread that writes to SQLite died; it is started again"),
    );
    const pets = await stored();
    expect(pets).to.deep.equal(acknowledged.sort((a, b) => Number(a.id - b.id)));
    expect(new Set(pets.map(({ name }) => name)).size).to.equal(pets.length);
  });

  it("leaves nothing of what it was about to store, and refuses that at once", async () => {
    const holder = runProcess("sqlite-process", ["lock", path]);
    expect(await holder.nextLine()).to.equal("locked");
    const owed = codeOf(storage.pets.create(REX, { key: "key", fingerprint: "" }));
    await sleep(100);
    void threads.at(-1)?.terminate();
    await holder.release();
    expect(await owed).to.equal("storage_unavailable");
    await usable();
    expect((await storage.pets.create(REX, { key: "key", fingerprint: "" })).earlierFingerprint).to.equal(
      undefined,
    );
    expect(await stored()).to.have.length(1);
  });

  it("makes no new file in place of one that is gone, and starts again once the file is back", async () => {
    await storage.pets.create(REX);
    renameSync(path, `${path}.away`);
    await endThread();
    await sleep(500);
    expect(await codeOf(storage.pets.create(REX))).to.equal("storage_unavailable");
    expect(await storage.pets.get(1n)).to.deep.include(REX);
    renameSync(`${path}.away`, path);
    await usable();
    await storage.pets.create(REX);
    expect(await stored()).to.have.length(2);
  });

  it("may be gone for good when the storage is closed", async () => {
    renameSync(path, `${path}.away`);
    await endThread();
    await storage.close();
    storage = await openSqlite(path);
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
