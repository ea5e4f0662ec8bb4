import { expect } from "chai";
import { lastingFault, startError } from "../../../src/adapters/sqlite/errors.js";

/** An error as the driver throws it, with an extended code (sqlite.org/rescode.html). */
const ofSqlite = (errcode: number) => Object.assign(new Error("of SQLite"), { errcode });
/** An error as a system call makes it. */
const ofSystem = (code: string) => Object.assign(new Error("of the system"), { code, syscall: "mkdir" });

describe("A SQLite file that cannot be used", () => {
  const ADVICE: Record<string, [cause: Error, advice: RegExp]> = {
    "is locked": [ofSqlite(5 | (1 << 8)), /another program holds its lock; end that program/],
    "is gone": [
      Object.assign(ofSystem("ENOENT"), { syscall: "open" }),
      /it is gone, while it was in use; put it back/,
    ],
    "is a folder": [ofSqlite(14), /it is a folder, or this user may not write it/],
    "is read-only": [
      ofSqlite(8),
      /this user may not write it, .*or its folder; correct the path, or their owner .* only \/var\/lib\/petstore/,
    ],
    "is denied": [
      ofSystem("EACCES"),
      /this user may not write it, .*or its folder; correct the path, or their owner .* only \/var\/lib\/petstore/,
    ],
    "is damaged": [ofSqlite(11), /it is damaged, .*; restore it from a backup/],
    "is on a full disk": [ofSqlite(13), /the disk is full or failing; make room/],
    "has a folder that cannot be made": [ofSystem("ENOTDIR"), /its folder cannot be made; correct the path/],
    "fails in another way": [ofSqlite(1), /of SQLite$/],
  };
  for (const [what, [cause, advice]] of Object.entries(ADVICE)) {
    it(`has a remedy if it ${what}`, () => {
      const { message } = startError("pets.db", cause);
      expect(message)
        .to.match(/^The SQLite file pets\.db cannot be used: /)
        .and.match(advice);
    });
  }

  it("ends a copy only if waiting does not mend it", () => {
    for (const code of [8, 11, 13, 19, 26]) {
      expect(lastingFault(ofSqlite(code))?.message).to.match(/cannot be written: .*; /);
    }
    for (const code of [5, 6, 10]) expect(lastingFault(ofSqlite(code))).to.equal(undefined);
  });
});
