import { join } from "node:path";
import { expect } from "chai";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { needTools } from "../../support/left-out.js";
import { SlowDisk } from "../../support/slow-disk.js";
import { runSqlite } from "./run-sqlite.js";

describe("A SQLite file, on a file system", () => {
  needTools("file systems that SQLite cannot use", "cc");
  const folder = inEmptyFolder();

  for (const [what, mode, message] of [
    ["without locks", "lockless", /another program, or its file system has no locks/],
    ["without shared memory", "mapless", /does not support a write-ahead log/],
    ["that fails to sync", "fail", /the disk fails/],
  ] as const) {
    it(`${what}, is refused with the cause`, async () => {
      const disk = new SlowDisk(folder());
      disk.behave(mode);
      const child = runSqlite("createOne", join(folder(), "pets.db"), { ...process.env, ...disk.env });
      expect(await child.nextLine()).to.match(message);
      await child.release();
    });
  }
});
