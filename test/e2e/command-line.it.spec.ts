import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { get } from "../support/client.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { runProgram, startProgram } from "../support/start-program.js";

describe("command line", () => {
  const folder = inEmptyFolder();
  const run = (command: string, env?: Record<string, string>) =>
    runProgram({ cwd: folder(), args: command.split(" "), ...(env && { env }) });

  /** Settings whose faults must not matter to a command. */
  const FAULTY = { PETSTORE_STORAGE: "bogus:", PETSTORE_STORAGE_ADAPTERS: "gone", PETSTORE_PORT: "x" };

  it("prints help and version, whatever the settings are", async () => {
    const [help, version] = await Promise.all([run("--help", FAULTY), run("--version", FAULTY)]);
    for (const { code, stderr } of [help, version]) {
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
    }
    for (const command of ["serve", "keys", "config", "storages", "copy", "conformance", "Exit codes:"]) {
      expect(help.stdout).to.include(command);
    }
    expect(version.stdout).to.equal(`${JSON.parse(readFileSync("package.json", "utf8")).version}\n`);
  });

  for (const [command, word] of [
    ["bogus", "--help"],
    ["keys add a,b", "letters"],
    ["keys add a --expires 100000w", "99999"],
    ["copy sqlite:a.db", "TO"],
  ] as const) {
    it(`exits with 2 at the wrong usage petstore ${command}`, async () => {
      const { code, stdout, stderr } = await run(command);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(stderr)
        .to.match(/^petstore: /)
        .and.include(word);
    });
  }

  describe("keys", () => {
    it("adds, lists and revokes keys, whatever the other settings are; a running instance follows within 2 seconds", async () => {
      const env = { ...FAULTY, PETSTORE_KEYS_FILE: "keys.json" };
      const added = await run("keys add mobile-app --expires 90d", env);
      expect(added.code, added.stderr).to.equal(0);
      expect(added.stdout).to.include(join(folder(), "keys.json"));
      const settings = { PETSTORE_STORAGE: "memory:", PETSTORE_KEYS_FILE: "keys.json" };
      const program = await startProgram({ cwd: folder(), env: settings });
      const [again, json] = await Promise.all([
        run("keys add mobile-app --expires 99999w", env),
        run("keys add new --json", env),
      ]);
      expect(again).to.deep.include({ code: 1, stdout: "" });
      expect(again.stderr).to.match(/^petstore: .*mobile-app/);
      const { secret, ...key } = JSON.parse(json.stdout);
      expect(key).to.have.all.keys("name", "created", "expires", "file");
      const isAnswered = (status: number) =>
        until(async () => (await get(program, "/v1/pets", { key: secret })).status === status, 2000);
      await isAnswered(200);
      expect(await run("keys revoke new", env)).to.include({ code: 0 });
      await isAnswered(401);
      const [list, table] = await Promise.all([run("keys list --json", env), run("keys list", env)]);
      const [listed, ...others] = JSON.parse(list.stdout);
      expect(others).to.deep.equal([]);
      expect(listed).to.include({ name: "mobile-app", expired: false });
      expect(Date.parse(listed.expires) - Date.parse(listed.created)).to.be.closeTo(90 * 86_400_000, 5000);
      expect(table.stdout).to.match(/^NAME +CREATED +EXPIRES\nmobile-app +20/);
    });

    it("prints all of a long list, and stays quiet if its reader leaves", async () => {
      const key = { sha256: "0".repeat(64), created: "2026-11-21T00:00:00.000Z", expires: null };
      const keys = Array.from({ length: 3000 }, (_, n) => ({ ...key, name: `key-${n}` }));
      writeFileSync(join(folder(), "keys.json"), JSON.stringify({ version: 1, keys }));
      const env = { PETSTORE_KEYS_FILE: "keys.json" };
      const pipe = (reader: string, ...args: string[]) => {
        const through = ["bash", "-o", "pipefail", "-c", `"$@" | ${reader}`, "bash"];
        return runProgram({ cwd: folder(), args: ["keys", "list", ...args], env, through });
      };
      const { code, stdout } = await pipe("(sleep 0.5; cat)", "--json");
      expect(code).to.equal(0);
      expect(JSON.parse(stdout)).to.have.length(3000);
      const cut = await pipe("head -1");
      expect(cut).to.deep.include({ code: 0, stderr: "" });
      expect(cut.stdout).to.match(/^NAME .*\n$/);
    });

    it("fails if its output is lost", async function () {
      if (!existsSync("/dev/full")) this.skip();
      const output = openSync("/dev/full", "w");
      const { code, stderr } = await runProgram({ cwd: folder(), args: ["storages"], output });
      closeSync(output);
      expect(code).to.equal(1);
      expect(stderr).to.match(/^petstore: .*ENOSPC/);
    });
  });

  describe("config", () => {
    it("shows every setting with its origin, and masks secrets; warns of an unknown one", async () => {
      const secrets = { PETSTORE_API_KEY: "secret", PETSTORE_STORAGE: "mongodb://user:s3cret@host/pets" };
      const { code, stdout, stderr } = await run("config --json", { ...secrets, PETSTORE_PROT: "1" });
      expect(code, stderr).to.equal(0);
      expect(stdout).not.to.include("s3cret").and.not.to.include('"secret"');
      const masked = { name: "PETSTORE_API_KEY", value: "***", origin: "environment", fault: null };
      expect(JSON.parse(stdout)).to.deep.include(masked);
      expect(stderr).to.match(/^petstore: PETSTORE_PROT .*\n$/);
    });

    it("exits with 2 if a start would refuse a setting, the keys file, a host, or two equal ports", async () => {
      writeFileSync(join(folder(), "cut.json"), '{"version":1');
      const UNASSIGNED = "192.0.2.1";
      const check = async (env: Record<string, string>, refused: readonly string[]) => {
        const { code, stdout, stderr } = await run("config", env);
        expect(code).to.equal(2);
        expect(stdout).to.match(/^SETTING +VALUE +FROM\nPETSTORE_HOST +\S+ +\w+\n/);
        expect(stderr).to.match(new RegExp(`^${refused.map((name) => `petstore: ${name} .*\n`).join("")}$`));
      };
      const faulty = { PETSTORE_HOST: UNASSIGNED, PETSTORE_PORT: "http", PETSTORE_KEYS_FILE: "cut.json" };
      const equal = { PETSTORE_PORT: "4000", PETSTORE_ADMIN_PORT: "4000" };
      await Promise.all([
        check(faulty, Object.keys(faulty)),
        check({ PETSTORE_ADMIN_HOST: UNASSIGNED, PETSTORE_KEYS_FILE: "." }, [
          "PETSTORE_ADMIN_HOST",
          "PETSTORE_KEYS_FILE",
        ]),
        check(equal, ["PETSTORE_ADMIN_PORT"]),
        check({ ...equal, PETSTORE_HOST: "0.0.0.0" }, ["PETSTORE_ADMIN_PORT"]),
        check({ PETSTORE_KEYS_FILE: "cut.json/keys.json" }, ["PETSTORE_KEYS_FILE"]),
      ]);
    });
  });

  describe("storages", () => {
    it("lists the built-in storages and those from outside, without what modules print; exits with 2 if one is faulty", async () => {
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
});
