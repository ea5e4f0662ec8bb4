import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { get, post } from "../support/client.js";
import { makeFolder } from "../support/in-empty-folder.js";
import { describeIf } from "../support/left-out.js";
import { npmInstall, packPetstore } from "../support/pack.js";
import { startProgram } from "../support/start-program.js";

const run = promisify(execFile);

describe("The examples of storages from outside", () => {
  let folder: string;
  let tarball: string;

  before(async () => {
    folder = makeFolder();
    tarball = await packPetstore(folder);
  });

  /** Copies an example out of this repository, where it cannot reach `src`, and installs it as its README says. */
  async function install(name: string): Promise<string> {
    const copy = join(folder, name);
    const isOwn = (path: string) => !["node_modules", "dist"].includes(basename(path));
    cpSync(join("examples", name), copy, { recursive: true, filter: isOwn });
    await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: copy });
    await npmInstall(copy, "--no-save", "--save-dev", tarball);
    return copy;
  }

  /** Runs a script of an example; if it fails, so does the test, with what it printed. */
  async function npm(cwd: string, script: string): Promise<string> {
    const { stdout, code } = await run("npm", ["run", "--silent", script], { cwd }).catch((error) => error);
    expect(code, stdout).to.equal(undefined);
    return stdout;
  }

  it("storage-file: is one file of at most 120 lines, strictly typed, and passes its tests in node:test", async () => {
    const example = await install("storage-file");
    expect(readFileSync(join(example, "storage.js"), "utf8").split("\n")).to.have.length.within(50, 121);
    expect(await npm(example, "check")).to.equal("");
    expect(await npm(example, "test")).to.match(/^. pass [1-9]\d+$/m);
  });

  const HAS_POSTGRES = existsSync("/usr/lib/postgresql");
  describeIf(HAS_POSTGRES, "storage-postgres", "storages on PostgreSQL", "install postgresql", () => {
    it("passes its tests in mocha, on a PostgreSQL that is killed and frozen, and serves", async () => {
      const example = await install("storage-postgres");
      const printed = await npm(example, "test");
      expect(printed).to.match(/^ +[1-9]\d* passing/m);
      expect(printed, "skipped tests").to.not.match(/pending/);

      const { Cluster } = await import(join(example, "dist/test/cluster.js"));
      const cluster = new Cluster();
      await cluster.start();
      try {
        const adapter = join(example, "dist/src/storage.js");
        const env = { PETSTORE_STORAGE: cluster.newUrl(), PETSTORE_STORAGE_ADAPTERS: adapter };
        const program = await startProgram({ cwd: folder, env });
        const { status, text } = await post(program, '{"name":"Rex","categoryId":7}');
        expect(status, text).to.equal(201);
        expect((await get(program, "/v1/pets")).text).to.equal(`[${text}]`);
        expect((await program.stop()).code).to.equal(0);
      } finally {
        await cluster.remove();
      }
    }).timeout(300_000);
  });
});
