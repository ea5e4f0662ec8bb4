import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { installExample } from "../support/install-example.js";
import { leaveOut } from "../support/left-out.js";
import { packPetstore } from "../support/pack.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

const run = promisify(execFile);

describe("the examples of storages from outside", function () {
  this.timeout(400_000);
  let folder: string;
  let tarball: string;

  before(async () => {
    folder = makeFolder();
    tarball = await packPetstore(folder);
  });
  after(() => removeFolder(folder));

  const install = (name: string) => installExample(name, folder, tarball);

  async function npmTest(cwd: string): Promise<void> {
    const { stdout } = await run("npm", ["test"], { cwd, maxBuffer: 2 ** 26 }).catch((error) => error);
    const failed = stdout.match(/^\s*not ok .*(\n.*)+?error:.*/gm) ?? [];
    expect(failed.join("\n"), stdout.slice(-2000)).to.equal("");
    expect(stdout).to.match(/^# pass [1-9]\d+$/m);
    expect(stdout).to.match(/^# skipped 0$/m);
    for (const [said] of stdout.matchAll(/^ *# (?=.* acknowledged).*$/gm))
      console.log(`      ${said.trim()}`);
  }

  it("storage-file: is one file of at most 120 lines, strictly typed, and passes its tests", async () => {
    const example = await install("storage-file");
    const { stdout } = await run("wc", ["-l", "storage.js"], { cwd: example });
    expect(Number.parseInt(stdout, 10)).to.be.within(50, 120);
    const types = await run("npm", ["run", "--silent", "check"], { cwd: example }).catch((error) => error);
    expect(types.stdout).to.equal("");
    await npmTest(example);
  });

  describe("storage-postgres", () => {
    let example: string;

    before(async function () {
      if (!existsSync("/usr/lib/postgresql") && !process.env.CI) {
        leaveOut("the PostgreSQL example", "install postgresql");
        this.skip();
      }
      example = await install("storage-postgres");
      await run("npm", ["run", "--silent", "build"], { cwd: example });
    });

    it("passes its tests on a PostgreSQL that is killed and frozen", () => npmTest(example));

    it("serves over HTTP", async () => {
      const cluster = await startCluster(example);
      try {
        const env = {
          ...process.env,
          PETSTORE_TEST_STORAGE: `${cluster.newUrl()}_{n}`,
          PETSTORE_STORAGE_ADAPTERS: join(example, "dist/src/storage.js"),
        };
        const suites = ["--reporter", "dot", "dist-test/test/adapters/http/every-storage.it.spec.js"];
        const { stdout } = await run("node_modules/.bin/mocha", suites, { env }).catch((error) => error);
        expect(stdout).to.match(/^ +[1-9]\d passing/m);
        expect(stdout, stdout.slice(-3000)).to.not.match(/failing|pending/);
        console.log(`      ${/\d+ passing/.exec(stdout)?.[0]} over HTTP`);
      } finally {
        await cluster.remove();
      }
    });
  });
});

/** Starts a PostgreSQL by the module that the example's own tests use. */
async function startCluster(example: string) {
  const { Cluster } = await import(join(example, "dist/test/cluster.js"));
  return Cluster.start();
}
