import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { runProgram } from "../support/start-program.js";

describe("command line", () => {
  const folder = inEmptyFolder();
  const run = (command: string, env = {}) => runProgram({ cwd: folder(), args: command.split(" "), env });

  /** Settings whose faults must not matter to a command. */
  const FAULTY = { PETSTORE_STORAGE: "bogus:", PETSTORE_STORAGE_ADAPTERS: "gone", PETSTORE_PORT: "x" };
  const KEYS = { PETSTORE_KEYS_FILE: "keys.json" };

  it("prints help and version, whatever the settings are", async () => {
    const [help, version] = await Promise.all([run("--help", FAULTY), run("--version", FAULTY)]);
    for (const word of ["serve", "keys", "config", "storages", "copy", "conformance", "Exit codes:"]) {
      expect(help.stdout).to.include(word);
    }
    expect(help).to.include({ code: 0, stderr: "" });
    expect(version).to.include({ code: 0, stderr: "" });
    expect(version.stdout).to.equal(`${JSON.parse(readFileSync("package.json", "utf8")).version}\n`);
  });

  it("exits with 2 at a wrong usage, and shows the right one", async () => {
    const check = async (command: string, word: string) => {
      const { code, stdout, stderr } = await run(command);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(stderr)
        .to.match(/^petstore: /)
        .and.include(word);
    };
    await Promise.all([
      check("bogus", "--help"),
      check("keys add a,b", "letters"),
      check("keys add a --expires 100000w", "99999"),
    ]);
  });

  it("adds, lists and revokes keys, whatever the other settings are", async () => {
    const env = { ...FAULTY, ...KEYS };
    const added = await run("keys add mobile-app --expires 90d", env);
    expect(added.code, added.stderr).to.equal(0);
    expect(added.stdout)
      .to.include(join(folder(), "keys.json"))
      .and.match(/ petstore_\S+\n$/);
    const { stdout } = await run("keys add new --json", env);
    expect(JSON.parse(stdout)).to.have.all.keys("name", "created", "expires", "file", "secret");
    expect(await run("keys revoke new", env)).to.include({ code: 0 });
    const [list, table] = await Promise.all([run("keys list --json", env), run("keys list", env)]);
    const [{ created, expires, ...key }, ...others] = JSON.parse(list.stdout);
    expect(others).to.deep.equal([]);
    expect(key).to.deep.equal({ name: "mobile-app", expired: false });
    expect(Date.parse(expires) - Date.parse(created)).to.be.closeTo(90 * 86_400_000, 5000);
    expect(table.stdout).to.match(/^NAME +CREATED +EXPIRES\nmobile-app +20/);
  });

  describe("with its output in a pipe or on a full disk", () => {
    const runTo = (redirection: string, command: string) => {
      const through = ["bash", "-o", "pipefail", "-c", `"$@" ${redirection}`, "bash"];
      return runProgram({ cwd: folder(), args: command.split(" "), env: KEYS, through });
    };

    it("prints all of a long list, and stays quiet if its reader leaves", async () => {
      const key = { sha256: "0".repeat(64), created: "2026-11-21T00:00:00.000Z", expires: null };
      const keys = Array.from({ length: 3000 }, (_, n) => ({ ...key, name: `key-${n}` }));
      writeFileSync(join(folder(), "keys.json"), JSON.stringify({ version: 1, keys }));
      const [slow, cut] = await Promise.all([
        runTo("| (sleep 0.5; cat)", "keys list --json"),
        runTo("| head -1", "keys list --json"),
      ]);
      expect(slow.code).to.equal(0);
      expect(JSON.parse(slow.stdout)).to.have.length(3000);
      expect(cut).to.include({ code: 0, stdout: "[\n", stderr: "" });
    });

    it("fails if its output is lost", async function () {
      if (!existsSync("/dev/full")) this.skip();
      const { code, stderr } = await runTo(">/dev/full", "storages");
      expect(code).to.equal(1);
      expect(stderr).to.match(/^petstore: .*ENOSPC/);
    });
  });

  it("shows every setting, masks secrets, warns of an unknown one, and exits with 2 if one is faulty", async () => {
    const env = {
      PETSTORE_API_KEY: "s3cret",
      PETSTORE_STORAGE: "mongodb://user:s3cret@host/pets",
      PETSTORE_PROT: "1",
    };
    const [json, table] = await Promise.all([
      run("config --json", env),
      run("config", { ...env, PETSTORE_PORT: "http" }),
    ]);
    expect(json.code, json.stderr).to.equal(0);
    const masked = { name: "PETSTORE_API_KEY", value: "***", origin: "environment", fault: null };
    expect(JSON.parse(json.stdout)).to.deep.include(masked);
    expect(table.code).to.equal(2);
    expect(table.stdout).to.match(/^SETTING +VALUE +FROM\nPETSTORE_HOST +\S+ +default\n/);
    expect(table.stderr).to.match(/^petstore: PETSTORE_PORT .*\npetstore: PETSTORE_PROT .*\n$/);
    expect(json.stdout + table.stdout + table.stderr).not.to.include("s3cret");
  });

  it("lists storages without the output of their modules, and exits with 2 if one is faulty", async () => {
    const path = writeModule(folder(), "acme.mjs", `${outsideStorage()} console.log("acme loads");`);
    const [table, json] = await Promise.all([
      run("storages", { PETSTORE_STORAGE_ADAPTERS: `${path},./gone.mjs` }),
      run("storages --json", { PETSTORE_STORAGE_ADAPTERS: path }),
    ]);
    expect(table.code).to.equal(2);
    expect(table.stdout)
      .to.match(/^SCHEMES +FORM +SHARED +DURABLE +FROM\nmemory +memory: +no +no +built in\n/)
      .and.match(/^acme +acme:NAME +yes +no +\/.*\/acme\.mjs$/m);
    expect(table.stderr).to.match(/^petstore: PETSTORE_STORAGE_ADAPTERS .*gone\.mjs/m);
    expect(json).to.include({ code: 0, stderr: "acme loads\n" });
    expect(JSON.parse(json.stdout).at(-1)).to.include({ form: "acme:NAME", shared: true, durable: false });
  });
});
