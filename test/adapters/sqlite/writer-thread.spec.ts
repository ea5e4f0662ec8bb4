import { renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { SqlitePetRepository } from "../../../src/adapters/sqlite/sqlite-pet-repository.js";
import type { NewPet, Pet } from "../../../src/domain/pet.js";
import { captureLog } from "../../support/captured-log.js";
import { codeOf } from "../../support/code-of.js";
import { eventually } from "../../support/eventually.js";
import { endThread } from "../../support/mortal-thread.js";
import { runProcess } from "../../support/run-process.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";

const REX: NewPet = { name: "Rex", categoryId: 7n, status: "sold" };

describe("The thread that writes to SQLite", () => {
  let folder: string;
  let path: string;
  let threads: Worker[];
  let repository: SqlitePetRepository;
  let log: ReturnType<typeof captureLog>;
  const remember = (thread: Worker) => threads.push(thread);

  beforeEach(async () => {
    folder = makeFolder();
    path = join(folder, "pets.db");
    threads = [];
    process.on("worker", remember);
    log = captureLog();
    repository = await SqlitePetRepository.open(path, log.log);
  });
  afterEach(async () => {
    process.off("worker", remember);
    await repository.close();
    removeFolder(folder);
  });

  const stored = () => repository.list({ status: undefined, after: 0n, limit: 100_000 });
  /** Resolves once the thread is dead. If it has nothing to do, it dies of its next request. */
  async function kill(): Promise<void> {
    const dead = new Promise((resolve) => threads.at(-1)?.once("exit", resolve));
    endThread();
    await dead;
  }
  const messages = () => log.lines.map(({ msg }) => msg);

  it("is started again wherever it dies; no acknowledged pet is lost, and none is stored twice", async () => {
    const acknowledged: Pet[] = [];
    let refused = 0;
    let ended = false;
    async function keepCreating(client: number): Promise<void> {
      for (let n = 0; !ended; n++) {
        const name = `${client} ${n}`;
        const record = { key: name, fingerprint: name };
        for (let creation: unknown; creation === undefined; ) {
          creation = await repository.create({ ...REX, name }, record).then(
            ({ pet }) => acknowledged.push(pet),
            () => void refused++,
          );
          await sleep(1);
        }
      }
    }
    const clients = Array.from({ length: 8 }, (_, client) => keepCreating(client));
    for (let death = 0; death < 5; death++) {
      await eventually(() => (threads.length > death ? true : undefined));
      await sleep(100 + 7 * death);
      await kill();
      // Reads go on all the while.
      expect((await repository.get(1n))?.id).to.equal(1n);
    }
    await sleep(300);
    ended = true;
    await Promise.all(clients);
    expect(threads.length).to.be.greaterThan(5);
    expect(refused).to.be.greaterThan(0);
    const pets = await stored();
    expect(pets).to.deep.equal(acknowledged.sort((a, b) => Number(a.id - b.id)));
    expect(new Set(pets.map(({ name }) => name)).size).to.equal(pets.length);
  }).timeout(20_000);

  it("keeps creates waiting while it is started again, and refuses those that it owed an answer", async () => {
    const holder = runProcess("sqlite-process", "lock", path);
    expect(await holder.nextLine()).to.equal("locked");
    const owed = codeOf(repository.create(REX));
    await sleep(100);
    const killed = performance.now();
    await kill();
    expect(await owed).to.equal("storage_unavailable");
    // At once, and not after a wait in vain.
    expect(performance.now() - killed).to.be.lessThan(2500);
    const waiting = repository.create(REX);
    await sleep(100);
    await holder.release();
    expect((await waiting).pet.id).to.equal(1n);
    expect(messages()).to.include("the thread that writes to SQLite died; it is started again");
  });

  it("makes no new file in place of one that is gone, and leaves the repository unready until the file is back", async () => {
    await repository.create(REX);
    renameSync(path, `${path}.away`);
    endThread();
    expect(await codeOf(repository.create(REX))).to.equal("storage_unavailable");
    await eventually(() => messages().find((message) => message?.includes("cannot start")));
    expect(await codeOf(repository.ping())).to.equal("storage_unavailable");
    expect(await repository.get(1n)).to.deep.include(REX);
    renameSync(`${path}.away`, path);
    await repository.create(REX);
    await repository.ping();
    expect(await stored()).to.have.length(2);
  }).timeout(20_000);

  it("makes checkpoints of its own, and shows them, the log's size and its commits", async () => {
    const { gauges } = repository;
    const names = Array.from({ length: 40 }, (_, n) => "x".repeat(200) + n);
    for (let round = 0; round < 25; round++) {
      await Promise.all(
        Array.from({ length: 20 }, () => names)
          .flat()
          .map((name) => repository.create({ ...REX, name })),
      );
    }
    expect(gauges.commits).to.be.within(25, 2000);
    expect(gauges.commitSeconds).to.be.greaterThan(0);
    await eventually(() => (gauges.checkpoints > 0 ? true : undefined));
    // Without checkpoints the log would have grown by 7 MB or more.
    expect(gauges.walBytes).to.be.within(100_000, 12_000_000);
    const database = new DatabaseSync(path, { readOnly: true });
    const { log: pages } = database.prepare("PRAGMA wal_checkpoint(NOOP)").get();
    expect(pages).to.be.lessThan(2500);
    database.close();
  }).timeout(20_000);

  it("takes turns for the lock with other processes, so that no create waits for 3 s", async () => {
    const others = Array.from({ length: 2 }, () => runProcess("sqlite-process", "create", path));
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
      await Promise.all(Array.from({ length: 10 }, () => repository.create(REX)));
      slowest = Math.max(slowest, performance.now() - begun);
      own += 10;
    }
    const given = (await lines).map((line) => line.split(" ").length);
    for (const other of others) await other.release();
    expect(given).to.deep.equal([1000, 1000]);
    // No process starves: each gets turns between those of the others.
    expect(own).to.be.greaterThan(100);
    expect(slowest).to.be.lessThan(3000);
    expect(await stored()).to.have.length(2000 + own);
  }).timeout(30_000);
});
