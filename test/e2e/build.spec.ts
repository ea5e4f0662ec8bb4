import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { eventually } from "../support/eventually.js";
import { E2E_KEY } from "../support/pets-client.js";
import { endPrograms, runProgram, startProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

/** The folder that these tests and their program were built into. */
const BUILT = join(import.meta.dirname, "../..");

describe("A build into the folder from which a program runs", function () {
  this.timeout(120_000);
  let cwd: string;
  before(() => {
    cwd = makeFolder();
  });
  after(async () => {
    await endPrograms();
    removeFolder(cwd);
  });

  /** The time at which each built file was last replaced or changed. */
  const files = () =>
    readdirSync(BUILT, { recursive: true, encoding: "utf8" })
      .map((file) => ({ file, stat: statSync(join(BUILT, file)) }))
      .filter(({ stat }) => stat.isFile())
      .map(({ file, stat }) => `${file} ${stat.ino} ${stat.mtimeMs}`);

  it("disturbs neither the program nor one that starts meanwhile, and leaves unchanged files alone", async () => {
    const program = await startProgram({
      cwd,
      env: { PETSTORE_WORKERS: "2", PETSTORE_API_KEY: E2E_KEY, PETSTORE_STORAGE: "sqlite:pets.db" },
    });
    const before = files();
    let building = true;
    const build = promisify(execFile)(process.execPath, ["scripts/build.mjs", basename(BUILT)]).finally(
      () => {
        building = false;
      },
    );
    while (building) {
      expect(await runProgram({ cwd, args: ["storages", "--json"] })).to.include({ code: 0, stderr: "" });
      expect(
        (await fetch(`${program.origin}/v1/pets`, { headers: { Authorization: `Bearer ${E2E_KEY}` } }))
          .status,
      ).to.equal(200);
    }
    await build;
    expect(files()).to.deep.equal(before);

    // Everything that the program reads or loads after the build.
    const page = await (await fetch(`${program.origin}/docs`)).text();
    const parts = [...page.matchAll(/(?:src|href)="(\/docs\/[^"#]+)"/g)].map(([, path]) => path as string);
    expect(parts).to.include("/docs/page.css").and.include("/docs/page.js");
    for (const path of [...parts, "/openapi.json", "/openapi.yaml"]) {
      expect((await fetch(program.origin + path)).status, path).to.equal(200);
    }
    for (const path of ["/metrics", "/readyz", "/version"]) {
      expect((await fetch(program.admin + path)).status, path).to.equal(200);
    }
    program.child.kill("SIGHUP");
    await eventually(() => /"msg":"workers replaced"/.test(program.stdout) || undefined, 60_000);
    expect((await program.stop()).code).to.equal(0);
  });
});
