import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { writeAhead } from "../../../src/adapters/sqlite/database.js";
import { InUseLock } from "../../../src/adapters/sqlite/in-use-lock.js";
import { eventually } from "../../support/eventually.js";
import { runProcessIn } from "../../support/run-process.js";
import { SlowDisk } from "../../support/slow-disk.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";

describe("A SQLite file that a process opens", () => {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => removeFolder(folder));

  it("lets the process exit although its disk stands still", async () => {
    const disk = new SlowDisk(folder);
    disk.standStill();
    const env = { ...process.env, ...disk.env };
    const child = runProcessIn(env, "sqlite-process", "openAndExit", join(folder, "pets.db"));
    expect(await child.nextLine()).to.equal("exits");
    const ended = await Promise.race([child.ended, sleep(8000, "never", { ref: false })]);
    disk.heal();
    await child.kill();
    expect(ended).to.deep.equal([null, "SIGKILL"]);
  }).timeout(20_000);

  it("is refused with a remedy if it cannot have a write-ahead log", () => {
    const database = new DatabaseSync(":memory:");
    expect(() => writeAhead(database)).to.throw(/cannot keep a write-ahead log .*put it on a local disk/);
    database.close();
  });

  it("shows that it is in use, even if another process checked that at the start", async () => {
    const path = join(folder, "pets.db");
    const checking = new DatabaseSync(`${path}-use`);
    checking.exec("BEGIN EXCLUSIVE");
    const use = new InUseLock(path);
    await sleep(300);
    checking.exec("COMMIT");
    checking.close();
    await eventually(() => InUseLock.isHeld(path) || undefined);
    await use.release();
    expect(InUseLock.isHeld(path)).to.equal(false);
  });
});
