import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite } from "../../support/open-storages.js";
import { type RunningProcess, runProcess } from "../../support/run-process.js";
import { SlowDisk } from "../../support/slow-disk.js";
import { needTools } from "../../support/tool.js";

describe("SqlitePetRepository, after a power cut", () => {
  let path: string;
  let disk: SlowDisk;
  let started: RunningProcess[];

  needTools("power cuts", "cc");
  const folder = inEmptyFolder();
  beforeEach(() => {
    mkdirSync(join(folder(), "data"));
    path = join(folder(), "data", "pets.db");
    disk = new SlowDisk(folder());
    started = [];
  });
  afterEach(async () => {
    await Promise.all(started.map((child) => child.kill()));
  });

  function startCreating(): RunningProcess {
    const env = { ...process.env, ...disk.env, SYNCED_FILES: disk.synced };
    const child = runProcess("sqlite-process", ["createUntilKilled", path], env);
    started.push(child);
    return child;
  }

  /** Kills a process. Resolves to the lines that it has printed: an id, or "refused", for each create. */
  async function kill(creating: RunningProcess): Promise<string[]> {
    await creating.kill();
    const lines: string[] = [];
    for (let line = await creating.nextLine(); line !== ""; line = await creating.nextLine())
      lines.push(line);
    return lines;
  }

  it("has every pet that two processes acknowledged, also if an fsync failed in between", async () => {
    const creating = [startCreating(), startCreating()];
    const lines: string[] = [];
    /** Reads on until every process has printed `count` lines more that hold. */
    async function readOn(count: number, holds: (line: string) => boolean): Promise<void> {
      const reading = creating.map(async (child) => {
        for (let found = 0; found < count; ) {
          const line = await child.nextLine();
          if (line === "") throw new Error("The process has ended.");
          lines.push(line);
          if (holds(line)) found++;
        }
      });
      await Promise.all(reading);
    }
    await readOn(50, (line) => line !== "refused");
    disk.failToSync();
    await readOn(10, (line) => line === "refused");
    disk.heal();
    await sleep(1000);
    lines.push(...(await Promise.all(creating.map(kill))).flat());
    const acknowledged = lines.filter((line) => line !== "refused").map(BigInt);
    expect(new Set(acknowledged).size, "ids given once").to.equal(acknowledged.length);

    // SQLite removed this journal as it made the file, and a removal is no fsync of the file.
    rmSync(join(disk.synced, "pets.db-journal"), { force: true });
    const storage = await openSqlite(join(disk.synced, "pets.db"));
    const pets = await storage.pets.list({ status: undefined, after: 0n, limit: 1_000_000 });
    await storage.close();
    const stored = new Set(pets.map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).to.deep.equal([]);
  });
});
