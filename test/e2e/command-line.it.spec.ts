import { readFileSync, writeFileSync } from "node:fs";
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
    const [help, copyHelp, version] = await Promise.all([
      run("--help", FAULTY),
      run("copy --help", FAULTY),
      run("--version", FAULTY),
    ]);
    for (const { code, stderr } of [help, copyHelp, version]) {
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
    }
    for (const command of ["serve", "keys", "config", "storages", "copy", "conformance", "Exit codes:"]) {
      expect(help.stdout).to.include(command);
    }
    expect(copyHelp.stdout).to.include("--verify");
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
    it("adds, lists and revokes keys, whatever the other settings are", async () => {
      const env = { ...FAULTY, PETSTORE_KEYS_FILE: "keys.json" };
      const added = await run("keys add mobile-app --expires 90d", env);
      expect(added.code, added.stderr).to.equal(0);
      expect(added.stdout)
        .to.match(/petstore_[\w-]{32}/)
        .and.include(join(folder(), "keys.json"));
      const [json, table, again] = await Promise.all([
        run("keys list --json", env),
        run("keys list", env),
        run("keys add mobile-app --expires 99999w", env),
      ]);
      const [key] = JSON.parse(json.stdout);
      expect(key).to.include({ name: "mobile-app", expired: false });
      expect(Date.parse(key.expires) - Date.parse(key.created)).to.be.closeTo(90 * 86_400_000, 5000);
      expect(table.stdout).to.match(/^NAME +CREATED +EXPIRES\nmobile-app +20/);
      expect(again).to.deep.include({ code: 1, stdout: "" });
      expect(again.stderr).to.match(/^petstore: .*mobile-app/);
      expect(await run("keys revoke mobile-app", env)).to.include({ code: 0 });
      expect((await run("keys list --json", env)).stdout).to.equal("[]\n");
    });

    it("lets a running instance accept a new key and reject a revoked one within 2 seconds", async () => {
      const program = await startProgram({ cwd: folder(), env: { PETSTORE_STORAGE: "memory:" } });
      const { secret, ...key } = JSON.parse((await run("keys add new --json")).stdout);
      expect(key).to.have.all.keys("name", "created", "expires", "file");
      const answers = (status: number) =>
        until(async () => (await get(program, "/v1/pets", { key: secret })).status === status, 2000);
      await answers(200);
      await run("keys revoke new");
      await answers(401);
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

    it("exits with 2 if a setting is faulty", async () => {
      const env = { PETSTORE_PORT: "http", PETSTORE_MAX_IN_FLIGHT: "0" };
      const { code, stdout, stderr } = await run("config", env);
      expect(code).to.equal(2);
      expect(stdout)
        .to.match(/^SETTING +VALUE +FROM\nPETSTORE_HOST +127\.0\.0\.1 +default\n/)
        .and.match(/^PETSTORE_PORT +http +environment$/m);
      expect(stderr).to.match(/^petstore: PETSTORE_PORT .*\npetstore: PETSTORE_MAX_IN_FLIGHT .*\n$/);
    });

    it("exits with 2 if a start would refuse the keys file, a host, or two equal ports", async () => {
      writeFileSync(join(folder(), "cut.json"), '{"version":1');
      const refused: Record<string, string>[] = [
        { PETSTORE_KEYS_FILE: "cut.json" },
        { PETSTORE_KEYS_FILE: "." },
        { PETSTORE_HOST: "192.0.2.1" },
        { PETSTORE_ADMIN_HOST: "192.0.2.1" },
        { PETSTORE_PORT: "4000", PETSTORE_ADMIN_PORT: "4000" },
      ];
      const check = async (env: Record<string, string>) => {
        const { code, stderr } = await run("config", env);
        expect(code, JSON.stringify(env)).to.equal(2);
        expect(stderr).to.match(new RegExp(`^petstore: ${Object.keys(env).at(-1)} .*\n$`));
      };
      await Promise.all(refused.map(check));
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
