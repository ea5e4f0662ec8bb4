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

  it("explains itself and its commands, whatever the settings are", async () => {
    for (const command of ["--help", "copy --help", "keys add --help"]) {
      const { code, stdout, stderr } = await run(command, FAULTY);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      expect(stdout).to.match(/^Usage: petstore/);
    }
    expect((await run("--help")).stdout).to.include("Exit codes:");
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(await run("--version", FAULTY)).to.deep.include({ code: 0, stdout: `${version}\n` });
  });

  for (const [command, message] of [
    [
      "bogus",
      /^petstore: unknown command 'bogus'\nRun petstore --help to see the commands and their options\.\n$/,
    ],
    ["serve --x", /^petstore: unknown option '--x'/],
    ["keys", /^Usage: petstore keys/],
    ["keys revoke", /^petstore: missing required argument 'name'/],
    ["keys add a,b", /^petstore: .* Use 1 to 64 letters, digits/],
    ["keys add a --expires soon", /^petstore: .* Use 1 to 99999 whole hours, days or weeks/],
    ["keys add a --expires 100000w", /^petstore: .* Use 1 to 99999/],
    ["copy sqlite:a.db", /^petstore: missing required argument 'TO'/],
  ] as const) {
    it(`refuses petstore ${command} as wrong usage`, async () => {
      const { code, stdout, stderr } = await run(command);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(stderr).to.match(message);
    });
  }

  describe("keys", () => {
    it("adds, lists and revokes keys, and refuses a name that is taken or that no key has", async () => {
      const file = join(folder(), "keys.json");
      const env = { ...FAULTY, PETSTORE_KEYS_FILE: "keys.json" };
      const added = await run("keys add mobile-app --expires 90d", env);
      expect(added.code, added.stderr).to.equal(0);
      expect(added.stdout).to.match(/petstore_[\w-]{32}/);
      expect(added.stdout).to.include(file);
      const [key] = JSON.parse((await run("keys list --json", env)).stdout);
      expect(key).to.include({ name: "mobile-app", expired: false });
      expect(Date.parse(key.expires) - Date.parse(key.created)).to.be.closeTo(90 * 86_400_000, 5000);
      expect((await run("keys list", env)).stdout).to.match(/^NAME +CREATED +EXPIRES\nmobile-app +20/);
      const again = await run("keys add mobile-app --expires 99999w", env);
      expect(again).to.deep.include({ code: 1, stdout: "" });
      expect(again.stderr).to.match(/^petstore: .*mobile-app already exists/);

      expect((await run("keys revoke mobile-app", env)).stdout).to.include(file);
      expect((await run("keys list --json", env)).stdout).to.equal("[]\n");
      const gone = await run("keys revoke mobile-app", env);
      expect(gone).to.deep.include({ code: 1, stdout: "" });
      expect(gone.stderr).to.match(/^petstore: No key named mobile-app/);
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

    it("lets a running instance accept a new key and refuse a revoked one within 2 seconds", async () => {
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
    it("shows every setting with its origin, and masks secrets", async () => {
      const env = { PETSTORE_API_KEY: "secret", PETSTORE_STORAGE: "mongodb://user:s3cret@host/pets" };
      const { code, stdout } = await run("config --json", env);
      expect(code).to.equal(0);
      expect(stdout).not.to.include("s3cret").and.not.to.include('"secret"');
      const masked = { name: "PETSTORE_API_KEY", value: "***", origin: "environment", fault: null };
      expect(JSON.parse(stdout)).to.deep.include(masked);
      const shown = await run("config");
      expect(shown.stdout).to.match(/^SETTING +VALUE +FROM\nPETSTORE_HOST +127\.0\.0\.1 +default\n/);
    });

    it("only warns of a name that is unknown, and exits with 2 if a setting is faulty", async () => {
      const unknown = await run("config", { PETSTORE_PROT: "1" });
      expect(unknown.code).to.equal(0);
      expect(unknown.stderr).to.equal("petstore: PETSTORE_PROT is not a setting; is it misspelt?\n");
      expect(unknown.stdout).to.match(/^PETSTORE_PROT +\*\*\* +unknown$/m);
      const { code, stdout, stderr } = await run("config", {
        PETSTORE_PORT: "http",
        PETSTORE_MAX_IN_FLIGHT: "0",
      });
      expect(code).to.equal(2);
      expect(stdout).to.match(/^PETSTORE_PORT +http +environment$/m);
      expect(stderr).to.match(
        /^petstore: PETSTORE_PORT must be a port .*\npetstore: PETSTORE_MAX_IN_FLIGHT must be .*\n$/,
      );
    });
  });

  describe("storages", () => {
    it("lists those that are built in and those from outside, and keeps what modules print out of the result", async () => {
      const source = `${outsideStorage()} console.log("acme loads");`;
      const env = { PETSTORE_STORAGE_ADAPTERS: writeModule(folder(), "acme.mjs", source) };
      const table = await run("storages", env);
      expect(table.code).to.equal(0);
      expect(table.stdout)
        .to.match(/^SCHEMES +FORM +SHARED +DURABLE +FROM\nmemory +memory: +no +no +built in\n/)
        .and.match(/^acme +acme:NAME +yes +no +\/.*\/acme\.mjs$/m);
      const { stdout, stderr } = await run("storages --json", env);
      expect(JSON.parse(stdout).at(-1)).to.include({ form: "acme:NAME", shared: true, durable: false });
      expect(stderr).to.equal("acme loads\n");
    });

    it("exits with 2 if a module cannot be loaded", async () => {
      const { code, stderr } = await run("storages", { PETSTORE_STORAGE_ADAPTERS: "./gone.mjs" });
      expect(code).to.equal(2);
      expect(stderr).to.match(/^petstore: PETSTORE_STORAGE_ADAPTERS names \.\/gone\.mjs, which /);
    });
  });
});
