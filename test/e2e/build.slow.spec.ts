import { execFile, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { makeFolder } from "../support/in-empty-folder.js";
import { endPrograms, startProgram } from "../support/start-program.js";

describe("The build", () => {
  /** A clone of the sources. */
  const clone = makeFolder();
  const path = (file: string) => join(clone, file);
  const build = () => promisify(execFile)(process.execPath, ["scripts/build.mjs", "dist"], { cwd: clone });
  const leftovers = () => readdirSync(clone).filter((name) => name.startsWith(".build-"));
  const outputs = () =>
    readdirSync(path("dist"), { recursive: true, encoding: "utf8" })
      .filter((file) => statSync(path(`dist/${file}`)).isFile())
      .map((file) => [file, readFileSync(path(`dist/${file}`), "utf8")]);
  let whole: string[][];

  before(async () => {
    for (const name of ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"])
      cpSync(name, path(name));
    for (const folder of ["src", "scripts"]) cpSync(folder, path(folder), { recursive: true });
    symlinkSync(resolve("node_modules"), path("node_modules"));
    await build();
    whole = outputs();
  });
  afterEach(endPrograms);

  /** Whether a build would compile: without its compiler it fails. */
  async function isDue(): Promise<boolean> {
    renameSync(path("node_modules"), path("elsewhere"));
    try {
      return await build().then(
        () => false,
        () => true,
      );
    } finally {
      renameSync(path("elsewhere"), path("node_modules"));
    }
  }

  it("is skipped if nothing has changed", async () => {
    expect(await isDue()).to.equal(false);
    expect(outputs()).to.deep.equal(whole);
  });

  for (const [fault, cause] of Object.entries({
    "a deleted output": () => rmSync(path("dist/src/domain/pet.js")),
    "a truncated output": () => truncateSync(path("dist/src/main.js"), 100),
    "an output without its source": () => writeFileSync(path("dist/src/old.js"), "export {};"),
    "another document to serve": () => truncateSync(path("dist/src/adapters/http/docs/public/page.css"), 9),
    "no stamp": () => rmSync(path("dist/.built")),
  })) {
    it(`is due with ${fault}`, async () => {
      cpSync(path("dist"), path("saved"), { recursive: true });
      cause();
      expect(await isDue()).to.equal(true);
      rmSync(path("dist"), { recursive: true });
      renameSync(path("saved"), path("dist"));
      expect(await isDue()).to.equal(false);
    });
  }

  it("is due with a source that is put back with its old time", async () => {
    const file = path("src/domain/int64.ts");
    const [text, { atime, mtime }] = [readFileSync(file, "utf8"), statSync(file)];
    for (const [content, due] of [
      [`${text}\n`, true],
      [text, false],
    ] as const) {
      writeFileSync(file, content);
      utimesSync(file, atime, mtime);
      expect(await isDue()).to.equal(due);
    }
  });

  it("leaves the outputs as they are if the sources do not compile", async () => {
    const file = path("src/domain/int64.ts");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, 'export const wrong: number = "text";');
    const { code } = await build().catch((error) => error);
    writeFileSync(file, text);
    expect(code).to.equal(1);
    expect(outputs()).to.deep.equal(whole);
    expect(leftovers()).to.deep.equal([]);
  });

  it("restores what is damaged while the program runs, which still loads its late parts", async () => {
    const env = { PETSTORE_STORAGE: "memory:" };
    const program = await startProgram({ cwd: makeFolder(), program: path("dist/src/main.js"), env });
    rmSync(path("dist/src/domain/pet.js"));
    truncateSync(path("dist/src/main.js"), 100);
    writeFileSync(path("dist/src/old.js"), "export {};");
    await build();
    expect(outputs()).to.deep.equal(whole);
    for (const address of [`${program.origin}/docs`, `${program.admin}/metrics`])
      expect((await fetch(address)).status).to.equal(200);
    expect((await program.stop()).code).to.equal(0);
  });

  it("removes the folder of a build that was killed, and of no other", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    for (const builder of [pid, process.pid]) mkdirSync(path(`.build-${builder}`));
    await build();
    expect(leftovers()).to.deep.equal([`.build-${process.pid}`]);
    rmSync(path(`.build-${process.pid}`), { recursive: true });
  });

  it("runs again in npm run dev, which restarts the service, when the API document or the page changes", async () => {
    const settings = { PETSTORE_STORAGE: "memory:", PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0" };
    const dev = spawn("npm", ["run", "--silent", "dev"], {
      cwd: clone,
      env: { ...process.env, ...settings },
      detached: true,
    });
    let output = "";
    dev.stdout.on("data", (chunk) => (output += chunk));
    const origins = () => Array.from(output.matchAll(/listens on (\S+)\n/g), ([, origin]) => origin);
    try {
      await until(() => origins().length === 1);
      for (const [file, address, change] of [
        ["src/adapters/http/docs/openapi.yaml", "openapi.yaml", "# changed"],
        ["scripts/page/page.css", "docs/page.css", "/* changed */"],
      ] as const) {
        const text = readFileSync(path(file), "utf8");
        const count = origins().length;
        // As editors save: a new file replaces the old one.
        writeFileSync(path("edited"), text + change);
        renameSync(path("edited"), path(file));
        await until(() => origins().length > count);
        expect(await (await fetch(`${origins().at(-1)}/${address}`)).text()).to.contain(change);
      }
    } finally {
      const ended = new Promise((resolve) => dev.once("close", resolve));
      process.kill(-(dev.pid ?? 0), "SIGTERM");
      await ended;
    }
  });
});
