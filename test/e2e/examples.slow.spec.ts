import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { installExample, type PostgresExample, startPostgresExample } from "../support/install-example.js";
import { packPetstore } from "../support/pack.js";
import { makeFolder } from "../support/temporary-folder.js";

const run = promisify(execFile);

describe("the examples of storages from outside", () => {
  let folder: string;
  let tarball: string;

  before(async () => {
    folder = makeFolder();
    tarball = await packPetstore(folder);
  });

  async function npmTest(cwd: string, skipped = /\d+/): Promise<void> {
    const { stdout } = await run("npm", ["test"], { cwd, maxBuffer: 2 ** 26 }).catch((error) => error);
    const failed = stdout.match(/^\s*not ok .*(\n.*)+?error:.*/gm) ?? [];
    expect(failed.join("\n"), stdout.slice(-2000)).to.equal("");
    expect(stdout).to.match(/^# pass [1-9]\d+$/m);
    expect(stdout).to.match(new RegExp(`^# skipped ${skipped.source}$`, "m"));
  }

  it("storage-file: is one file of at most 120 lines, strictly typed, and passes its tests", async () => {
    const example = await installExample("storage-file", folder, tarball);
    const { stdout } = await run("wc", ["-l", "storage.js"], { cwd: example });
    expect(Number.parseInt(stdout, 10)).to.be.within(50, 120);
    const types = await run("npm", ["run", "--silent", "check"], { cwd: example }).catch((error) => error);
    expect(types.stdout).to.equal("");
    await npmTest(example);
  });

  describe("storage-postgres", () => {
    let postgres: PostgresExample;

    before(async function () {
      const started = await startPostgresExample(folder, tarball);
      if (!started) return this.skip();
      postgres = started;
    });
    after(() => postgres?.cluster.remove());

    it("passes its tests on a PostgreSQL that is killed and frozen", () => npmTest(postgres.path, /0/));

    it("serves over HTTP", async () => {
      const PETSTORE_TEST_STORAGE = `${postgres.cluster.newUrl()}_{n}`;
      const env = { ...process.env, PETSTORE_TEST_STORAGE, PETSTORE_STORAGE_ADAPTERS: postgres.adapter };
      const suites = ["--reporter", "dot", "dist-test/test/adapters/http/every-storage.it.spec.js"];
      const { stdout } = await run("node_modules/.bin/mocha", suites, { env }).catch((error) => error);
      expect(stdout).to.match(/^ +[1-9]\d* passing/m);
      expect(stdout, stdout.slice(-3000)).to.not.match(/failing|pending/);
    });
  });
});
