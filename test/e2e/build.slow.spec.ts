import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { makeFolder } from "../support/in-empty-folder.js";
import { endPrograms, startProgram } from "../support/start-program.js";

describe("The build", () => {
  after(endPrograms);

  it("leaves nothing of a former build, and disturbs neither a start nor another build beside it", async () => {
    const clone = makeFolder();
    const build = () => promisify(execFile)(process.execPath, ["scripts/build.mjs", "dist"], { cwd: clone });
    const inputs = ["package.json", "tsconfig.json", "tsconfig.build.json", "src", "scripts"];
    for (const name of inputs) cpSync(name, join(clone, name), { recursive: true });
    symlinkSync(resolve("node_modules"), join(clone, "node_modules"));
    await build();
    const built = readdirSync(join(clone, "dist"), { recursive: true });
    mkdirSync(join(clone, "dist/src/former"));
    writeFileSync(join(clone, "dist/src/former/pet.js"), "");

    let isBuilding = true;
    const builds = Promise.all([build(), build()]).finally(() => {
      isBuilding = false;
    });
    const start = { program: join(clone, "dist/src/main.js"), env: { PETSTORE_STORAGE: "memory:" } };
    while (isBuilding) {
      const program = await startProgram({ cwd: makeFolder(), ...start });
      program.child.kill("SIGKILL");
      await program.ended;
    }
    await builds;
    expect(readdirSync(join(clone, "dist"), { recursive: true })).to.have.members(built);
    expect(readdirSync(clone)).to.have.members([...inputs, "node_modules", "dist"]);
  });
});
