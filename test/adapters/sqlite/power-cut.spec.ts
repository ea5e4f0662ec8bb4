import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { expect } from "chai";
import { prepareExact } from "../../../src/adapters/sqlite/rows.js";
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

  function startCreating(): RunningProcess {
    const env = { ...process.env, ...disk.env, SYNCED_FILES: disk.synced };
    const child = runProcessIn(env, "sqlite-process", "createUntilKilled", path);
    started.push(child);
    return child;
  }

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
    // SQLite removed it as the file was made, and a removal is no fsync of the file.
    rmSync(join(disk.synced, "pets.db-journal"));
    const repository = await SqlitePetRepository.open(join(disk.synced, "pets.db"));
    const pets = await repository.list({ status: undefined, after: 0n, limit: 1_000_000 });
    await repository.close();
    return new Set(pets.map(({ id }) => id));
  }

  /** Kills a process. Resolves to the ids that it has told since the last line that was read. */
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
      // Some checkpoints long.
      await sleep(2500);
      const acknowledged = (await Promise.all(creating.map(kill))).flat();
      expect(acknowledged.length).to.be.greaterThan(100);
      expect(new Set(acknowledged).size, "ids given once").to.equal(acknowledged.length);
      const stored = await idsAfterCut();
      expect(acknowledged.filter((id) => !stored.has(id))).to.deep.equal([]);
    });

  it("has what was acknowledged after an fsync had failed, even if the log has a gap there", async () => {
    const creating = startCreating();
    const acknowledged = [await nextId(creating)];
    disk.failToSync();
    for (let line = await nextLine(creating); line !== "refused"; line = await nextLine(creating))
      acknowledged.push(BigInt(line));
    disk.heal();
    acknowledged.push(await nextId(creating));
    await kill(creating);
    // In the database itself, without its log.
    rmSync(join(disk.synced, "pets.db-wal"));
    const stored = await idsAfterCut();
    expect(acknowledged.filter((id) => !stored.has(id))).to.deep.equal([]);
  });

  describe("gives no id that a reader may have seen", () => {
    /** Resolves to the id that follows the highest id after a process was killed, and to the next that is given. */
    async function idsAfter(end: (database: DatabaseSyncInstance) => void): Promise<[bigint, bigint]> {
      const creating = startCreating();
      await nextId(creating);
      // As long as it is open, the log stays.
      const database = new DatabaseSync(path);
      database.exec("PRAGMA busy_timeout = 5000");
      end(database);
      await kill(creating);
      const [highest] = prepareExact(database, "SELECT max(id) FROM pets").get() as [bigint];
      copyFileSync(path, join(folder, "pets.db"));
      copyFileSync(`${path}-wal`, join(folder, "pets.db-wal"));
      database.close();
      const repository = await SqlitePetRepository.open(join(folder, "pets.db"));
      const { pet } = await repository.create(REX);
      await repository.close();
      return [highest + 1n, pet.id];
    }

    it("if the machine has started again since", async () => {
      const [next, given] = await idsAfter((database) =>
        database.exec("UPDATE boot SET id = 'an earlier start of the machine'"),
      );
      expect(given).to.equal(next + 100_000n);
    });

    it("and skips none if only the process was killed", async () => {
      const [next, given] = await idsAfter(() => {});
      expect(given).to.equal(next);
    });
  });

  it("skips no id if the machine has started again after the file was closed", async () => {
    const first = await SqlitePetRepository.open(path);
    await first.create(REX);
    await first.close();
    const database = new DatabaseSync(path);
    database.exec("UPDATE boot SET id = 'an earlier start of the machine'; PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    const second = await SqlitePetRepository.open(path);
    expect((await second.create(REX)).pet.id).to.equal(2n);
    await second.close();
  });
});
