import { join } from "node:path";
import { expect } from "chai";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { needTools } from "../../support/left-out.js";
import { OddDisk } from "../../support/odd-disk.js";
import { runSqlite } from "./run-sqlite.js";

describe("A SQLite file on a file system that SQLite cannot use", () => {
  needTools("file systems that SQLite cannot use", "cc");
  const folder = inEmptyFolder();

  it("is refused with the cause", async () => {
    const disk = new OddDisk(folder());
    for (const [fault, message] of [
      ["noLocks", /another program, or its file system has no locks/],
      ["noMapping", /does not support a write-ahead log/],
      ["fails", /the disk fails/],
    ] as const) {
      disk.behave(fault);
      const child = runSqlite("createOne", join(folder(), `${fault}.db`), { ...process.env, ...disk.env });
      const line = await child.nextLine();
      await child.release();
      expect(line).to.match(message);
    }
  });
});
