import { join } from "node:path";
import { expect } from "chai";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { needTools } from "../../support/left-out.js";
import { OddDisk } from "../../support/odd-disk.js";
import { runSqlite } from "./run-sqlite.js";

describe("A SQLite file, on a file system", () => {
  needTools("file systems that SQLite cannot use", "cc");
  const folder = inEmptyFolder();

  for (const [what, fault, message] of [
    ["without locks", "noLocks", /another program, or its file system has no locks/],
    ["without shared memory", "noMapping", /does not support a write-ahead log/],
    ["that fails to sync", "fails", /the disk fails/],
  ] as const) {
    it(`${what}, is refused with the cause`, async () => {
      const { env } = new OddDisk(folder(), fault);
      const child = runSqlite("createOne", join(folder(), "pets.db"), { ...process.env, ...env });
      expect(await child.nextLine()).to.match(message);
      await child.release();
    });
  }
});
