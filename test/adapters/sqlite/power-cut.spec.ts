import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { SqlitePetRepository } from "../../../src/adapters/sqlite/sqlite-pet-repository.js";
import type { NewPet } from "../../../src/domain/pet.js";
import { type RunningProcess, runProcessIn } from "../../support/run-process.js";
import { SlowDisk } from "../../support/slow-disk.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";
import { hasTool } from "../../support/tool.js";

const REX: NewPet = { name: "Rex", categoryId: 7n, status: "sold" };

describe("SqlitePetRepository, after a power cut", function () {
  this.timeout(30_000);
  let folder: string;
  let path: string;
  let disk: SlowDisk;
  let started: RunningProcess[];

  before(function () {
    if (!hasTool("cc", "power cuts")) this.skip();
  });
  beforeEach(() => {
    folder = makeFolder();
    mkdirSync(join(folder, "data"));
    path = join(folder, "data", "pets.db");
    disk = new SlowDisk(folder);
    started = [];
  });
  afterEach(async () => {
    await Promise.all(started.map((child) => child.kill()));
    removeFolder(folder);
  });

  function start(task: string): RunningProcess {
    const env = { ...process.env, ...disk.env, SYNCED_FILES: disk.synced };
    const child = runProcessIn(env, "sqlite-process", task, path);
    started.push(child);
    return child;
  }
  const startCreating = () => start("createUntilKilled");

  async function nextLine(creating: RunningProcess): Promise<string> {
    const line = await creating.nextLine();
    if (line === "") throw new Error("The process has ended.");
    return line;
  }

  async function nextId(creating: RunningProcess): Promise<bigint> {
    let line = await nextLine(creating);
    while (line === "refused") line = await nextLine(creating);
    return BigInt(line);
  }

  /** Opens the files as the power cut left them. Resolves to the ids of all pets. */
  async function idsAfterCut(): Promise<Set<bigint>> {
    // SQLite removed this journal as it made the file, and a removal is no fsync of the file.
    rmSync(join(disk.synced, "pets.db-journal"));
    const repository = await SqlitePetRepository.open(join(disk.synced, "pets.db"));
    const pets = await repository.list({ status: undefined, after: 0n, limit: 1_000_000 });
    await repository.close();
    return new Set(pets.map(({ id }) => id));
  }

  /** Kills a process. Resolves to the ids that it has printed since the last line that the test read. */
  async function kill(creating: RunningProcess): Promise<bigint[]> {
    await creating.kill();
    const ids: bigint[] = [];
    for (let line = await creating.nextLine(); line !== ""; line = await creating.nextLine())
      ids.push(BigInt(line));
    return ids;
  }

  for (const processes of [1, 2])
    it(`has every pet that was acknowledged, by ${processes === 1 ? "one process" : "two processes"}`, async () => {
      const creating = Array.from({ length: processes }, startCreating);
      // Long enough for some checkpoints.
      await sleep(2500);
      const acknowledged = (await Promise.all(creating.map(kill))).flat();
      expect(acknowledged.length).to.be.greaterThan(100);
      expect(new Set(acknowledged).size, "ids given once").to.equal(acknowledged.length);
      const stored = await idsAfterCut();
      expect(acknowledged.filter((id) => !stored.has(id))).to.deep.equal([]);
    });

  it("begins the log anew after an fsync has failed, and has every pet that it acknowledged before and after", async () => {
    const creating = startCreating();
    const acknowledged = [await nextId(creating)];
    const log = saltsOf(`${path}-wal`);
    disk.failToSync();
    for (let line = await nextLine(creating); line !== "refused"; line = await nextLine(creating))
      acknowledged.push(BigInt(line));
    disk.heal();
    acknowledged.push(await nextId(creating));
    acknowledged.push(...(await kill(creating)));
    expect(saltsOf(join(disk.synced, "pets.db-wal"))).not.to.equal(log);
    const stored = await idsAfterCut();
    expect(acknowledged.filter((id) => !stored.has(id))).to.deep.equal([]);
  });

  it("stores nothing more while a reader keeps it from beginning the log anew", async () => {
    const creating = startCreating();
    await nextId(creating);
    const reader = new DatabaseSync(path);
    const count = () => reader.prepare("SELECT count(*) AS pets FROM pets").get().pets as number;
    disk.failToSync();
    while ((await nextLine(creating)) !== "refused");
    reader.exec("BEGIN");
    const before = count();
    disk.heal();
    await sleep(1000);
    reader.exec("COMMIT");
    // The reader saw an old state meanwhile. One commit may have been under way.
    expect(count() - before).to.be.lessThan(64);
    await nextId(creating);
    reader.close();
  });

  it("begins the log anew at an opening, since a process that was killed may have left a gap in it", async () => {
    const creating = startCreating();
    const acknowledged = [await nextId(creating), ...(await kill(creating))];
    const repository = await SqlitePetRepository.open(path);
    // The database itself, without its log.
    copyFileSync(path, join(folder, "alone.db"));
    await repository.close();
    const alone = new DatabaseSync(join(folder, "alone.db"));
    const stored = new Set(
      alone
        .prepare("SELECT id FROM pets")
        .all()
        .map(({ id }) => BigInt(id)),
    );
    alone.close();
    expect(acknowledged.filter((id) => !stored.has(id))).to.deep.equal([]);
  });

  /** Makes the file look as if it was last in use before a restart of the machine. */
  function makeEarlier(): void {
    const database = new DatabaseSync(path);
    database.exec(
      "PRAGMA busy_timeout = 5000; UPDATE petstore_boot SET id = 'an earlier start of the machine'",
    );
    database.close();
  }

  async function createOne(): Promise<bigint> {
    const repository = await SqlitePetRepository.open(path);
    const { pet } = await repository.create(REX);
    await repository.close();
    return pet.id;
  }

  it("skips ids that a reader may have seen, once for each start of the machine", async () => {
    expect([await createOne(), await createOne()], "in the same one").to.deep.equal([1n, 2n]);
    makeEarlier();
    expect([await createOne(), await createOne()], "in the next").to.deep.equal([100_003n, 100_004n]);
  });

  it("skips no id in a file that release 1.0.0 has used", async () => {
    await createOne();
    const database = new DatabaseSync(path);
    database.exec("DROP TABLE petstore_boot");
    database.close();
    expect(await createOne()).to.equal(2n);
  });

  it("skips no id past the end of the sequence", async () => {
    await createOne();
    const database = new DatabaseSync(path);
    database.exec(`UPDATE sqlite_sequence SET seq = ${2n ** 52n - 50_000n}`);
    database.close();
    makeEarlier();
    expect(await createOne()).to.equal(2n ** 52n - 49_999n);
  });

  it("has the skip on the disk before anybody sees the next pet", async () => {
    await createOne();
    makeEarlier();
    copyFileSync(path, join(disk.synced, "pets.db"));
    const opening = start("create");
    expect(await opening.nextLine()).to.equal("ready");
    await opening.kill();
    const database = new DatabaseSync(join(disk.synced, "pets.db"));
    expect(database.prepare("SELECT seq FROM sqlite_sequence").get()).to.deep.equal({ seq: 100_001 });
    database.close();
  });
});

/** The bytes that SQLite changes each time the log begins anew (sqlite.org/fileformat2.html, section 4.1). */
function saltsOf(log: string): string {
  return readFileSync(log).subarray(16, 24).toString("hex");
}
