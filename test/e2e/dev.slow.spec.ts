import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { Program } from "../support/start-program.js";

/** How long a build and a start may take on a busy machine, in milliseconds. */
const PATIENCE = 120_000;

describe("npm run dev", () => {
  const folder = inEmptyFolder();

  it("takes edits from the first one on, also of the API document, and ends all that it started", async () => {
    for (const name of ["src", "scripts", "package.json", "tsconfig.json"]) {
      cpSync(name, join(folder(), name), { recursive: true });
    }
    symlinkSync(resolve("node_modules"), join(folder(), "node_modules"));
    const program = join(folder(), "scripts/dev.mjs");
    const dev = new Program({ cwd: folder(), program, env: { PETSTORE_STORAGE: "memory:" } });
    const titleOf = async () => {
      const [, origin] = [...dev.stdout.matchAll(/^petstore listens on (\S+)$/gm)].at(-1) ?? [];
      const response = await fetch(`${origin}/openapi.json`).catch(() => undefined);
      return response && ((await response.json()) as { info: { title: string } }).info.title;
    };
    const path = join(folder(), "src/adapters/http/docs/openapi.yaml");
    for (const title of ["During the first build", "Later"]) {
      writeFileSync(path, readFileSync(path, "utf8").replace(/^( +title:).*/m, `$1 ${title}`));
      await until(async () => (await titleOf()) === title, PATIENCE);
    }
    expect((await dev.stop()).code).to.equal(143);
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).to.not.include(folder());
  });
});
