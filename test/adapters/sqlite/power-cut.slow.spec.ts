import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../../support/eventually.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { needTools } from "../../support/left-out.js";
import { OddDisk } from "../../support/odd-disk.js";
import { openSqlite } from "../../support/open-sqlite.js";
import { type RunningProcess, runSqlite } from "./run-sqlite.js";

describe("SqlitePetRepository, after a power cut", () => {
  needTools("power cuts", "cc");
  const folder = inEmptyFolder();
  let children: RunningProcess[] = [];
  afterEach(() => Promise.all(children.map((child) => child.kill())));

  it("has every pet that two processes acknowledged, also if fsync failed for a while", async () => {
    const path = join(folder(), "data", "pets.db");
    mkdirSync(join(folder(), "data"));
    const disk = new OddDisk(folder());
    const env = { ...process.env, ...disk.env };
    children = [1, 2].map(() => runSqlite("createUntilKilled", path, env));
    const acknowledged: bigint[] = [];
    let refused = 0;
    const reading = children.map(async (child) => {
      for (let line = await child.nextLine(); line !== ""; line = await child.nextLine()) {
        if (line === "refused") refused++;
        else acknowledged.push(BigInt(line));
      }
    });
    await until(() => acknowledged.length > 100);
    disk.behave("fails");
    await until(() => refused > 20);
    disk.behave();
    const before = acknowledged.length;
    // More than a thousand pages of log, after which SQLite moves them into the file.
    await until(() => acknowledged.length > before + 4000);
    await Promise.all(children.map((child) => child.kill()));
    await Promise.all(reading);
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
