import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { startProgram, statusOf } from "../support/start-program.js";

/** The folder that these tests and their program were built into. */
const BUILT = join(import.meta.dirname, "../..");

describe("A build into the folder from which a program runs", () => {
  const cwd = inEmptyFolder();

  /** The time at which each built file was last replaced or changed. */
  const files = () =>
    readdirSync(BUILT, { recursive: true, encoding: "utf8" })
      .map((file) => ({ file, stat: statSync(join(BUILT, file)) }))
      .filter(({ stat }) => stat.isFile())
      .map(({ file, stat }) => `${file} ${stat.ino} ${stat.mtimeMs}`);

  it("replaces no file that stays the same, so that the program goes on and loads its late parts", async () => {
    const program = await startProgram({ cwd: cwd(), env: { PETSTORE_STORAGE: "memory:" } });
    const before = files();
    await promisify(execFile)(process.execPath, ["scripts/build.mjs", basename(BUILT)]);
    expect(files()).to.deep.equal(before);
    for (const path of ["/docs", "/openapi.json"]) {
      expect(await statusOf(program.origin + path), path).to.equal(200);
    }
    expect(await statusOf(`${program.admin}/metrics`)).to.equal(200);
    expect((await program.stop()).code).to.equal(0);
  });
});
