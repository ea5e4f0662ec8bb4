import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { startProgram } from "../support/start-program.js";

/** The folder that these tests and their program were built into. */
const BUILT = join(import.meta.dirname, "../..");
/** What tells a build that nothing has changed. */
const STAMP = ".built";

describe("A build into the folder from which a program runs", () => {
  const cwd = inEmptyFolder();
  const files = () =>
    readdirSync(BUILT, { recursive: true, encoding: "utf8" })
      .map((file) => ({ file, stat: statSync(join(BUILT, file)) }))
      .filter(({ file, stat }) => stat.isFile() && file !== STAMP)
      .map(({ file, stat }) => `${file} ${stat.ino} ${stat.mtimeMs}`);

  it("replaces no file that stays the same, so that the program still loads its late parts", async () => {
    const program = await startProgram({ cwd: cwd(), env: { PETSTORE_STORAGE: "memory:" } });
    const before = files();
    rmSync(join(BUILT, STAMP));
    execFileSync(process.execPath, ["scripts/build.mjs", basename(BUILT)]);
    expect(files()).to.deep.equal(before);
    expect((await fetch(`${program.origin}/docs`)).status).to.equal(200);
    expect((await fetch(`${program.admin}/metrics`)).status).to.equal(200);
    expect((await program.stop()).code).to.equal(0);
  });
});
