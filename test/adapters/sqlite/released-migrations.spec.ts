import { createHash } from "node:crypto";
import { expect } from "chai";
import { MIGRATIONS } from "../../../src/adapters/sqlite/schema.js";

/** The SHA-256 of each step that a release has, by the version that it leads to. Files of users have these steps behind them. */
const RELEASED: Readonly<Record<number, string>> = {
  1: "e2400287994b5dd1dbd2d101556ed07888f70249d62bc6335614374f5c62f252",
};

describe("Released SQLite migrations", () => {
  for (const [version, digest] of Object.entries(RELEASED)) {
    it(`leave the step to version ${version} as it was: a change of the schema is a new step`, () => {
      const step = MIGRATIONS[Number(version) - 1] ?? "";
      expect(createHash("sha256").update(step).digest("hex")).to.equal(digest);
    });
  }
});
