import { expect } from "chai";
import { unusable } from "../../../src/adapters/sqlite/sqlite-errors.js";

describe("The message on a SQLite file that cannot be used", () => {
  for (const [what, failure, message] of [
    ["a lock", { errcode: 5 }, /locked by another program, or its file system has no locks/],
    ["an extended code, by its primary one", { errcode: 261 }, /locked by another program/],
    ["a disk that fails", { errcode: 778 }, /the disk fails, or the quota is used up/],
    ["a file system without shared memory", { errcode: 5386 }, /does not support a write-ahead log/],
    // `prepare` and an opening fail in this way.
    [
      "the extended code beside the primary one",
      { errcode: 10, sqliteExtendedCode: 5386 },
      /write-ahead log/,
    ],
    ["a failure of Node", { code: "EROFS" }, /this user may not write it/],
    ["anything else, by its own words", { code: "EPERM" }, /cannot be used: words$/],
  ] as const) {
    it(`names ${what}`, () => {
      const cause = Object.assign(new Error("words"), failure);
      expect(unusable("pets.db", cause).message).to.match(message);
    });
  }
});
