import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { get } from "../support/client.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { runProgram, startProgram } from "../support/start-program.js";

describe("command line", () => {
  const run = (args: string[], env?: Record<string, string>) =>
    runProgram({ cwd: folder(), args, ...(env && { env }) });
  const start = (env?: Record<string, string>) =>
    startProgram({ cwd: folder(), env: { PETSTORE_STORAGE: "memory:", ...env } });

  const folder = inEmptyFolder();

  it("explains itself and its commands, and names its exit codes and its version", async () => {
    for (const args of [["--help"], ["keys", "add", "--help"]]) {
      const { code, stdout, stderr } = await run(args);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      expect(stdout).to.match(/^Usage: petstore/);
    }
    expect((await run(["--help"])).stdout).to.include("Exit codes:");
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(await run(["--version"])).to.deep.include({ code: 0, stdout: `${version}\n` });
  });

  for (const usage of [
    "serve now",
    "--nonsense",
    "keys",
    "keys revoke",
    "keys add",
    "keys add a,b",
    "keys add a --expires soon",
    "keys add a --expires 0d",
  ]) {
    it(`refuses petstore ${usage} as wrong usage, with one message on stderr`, async () => {
      const { code, stdout, stderr } = await run(usage.split(" "));
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(stderr).to.match(/^(petstore: .*\nRun petstore --help|Usage:)/);
    });
  }

  it("names --help as the remedy for an unknown command", async () => {
    const remedy = "Run petstore --help to see the commands and their options.";
    const stderr = `petstore: unknown command 'bogus'\n${remedy}\n`;
    expect(await run(["bogus"])).to.deep.include({ code: 2, stderr });
  });

  describe("keys", () => {
    it("adds a key, lists it and revokes it, and refuses a name that is taken or that no key has", async () => {
      const file = join(folder(), "keys.json");
      // The faults of other settings do not keep an operator from the keys.
      const env = { PETSTORE_KEYS_FILE: "keys.json", PETSTORE_STORAGE_ADAPTERS: "gone", PETSTORE_PORT: "x" };
      const run = (args: string[]) => runProgram({ cwd: folder(), args, env });
      const added = await run(["keys", "add", "mobile-app", "--expires", "90d"]);
      expect(added.code).to.equal(0);
      expect(added.stdout).to.match(/petstore_[\w-]{32}/);
      expect(added.stdout).to.include(`The key mobile-app was made in ${file}; it expires at `);
      const [key] = JSON.parse((await run(["keys", "list", "--json"])).stdout);
      expect(key).to.include({ name: "mobile-app", expired: false });
      expect(Date.parse(key.expires) - Date.parse(key.created)).to.be.closeTo(90 * 86_400_000, 5000);
      expect((await run(["keys", "list"])).stdout).to.match(/^NAME +CREATED +EXPIRES\nmobile-app +20/);
      expect(await run(["keys", "add", "mobile-app"])).to.deep.include({
        code: 1,
        stderr: "petstore: There is a key named mobile-app; revoke it first, or choose another name.\n",
      });

      const revoked = await run(["keys", "revoke", "mobile-app"]);
      expect(revoked.code).to.equal(0);
      expect(revoked.stdout).to.include(`The key mobile-app was revoked in ${file}; `);
      expect(JSON.parse((await run(["keys", "list", "--json"])).stdout)).to.deep.equal([]);
      expect(await run(["keys", "revoke", "mobile-app"])).to.deep.include({
        code: 1,
        stderr: "petstore: No key is named mobile-app; petstore keys list shows those there are.\n",
      });
    });

    it("names the longest time for which a key may be valid, and takes it", async () => {
      const add = (expires: string) =>
        run(["keys", "add", "x", "--expires", expires], { PETSTORE_KEYS_FILE: "keys.json" });
      const { stderr } = await add("400000d");
      const [, most = ""] = /Use 1 to (\d+) whole hours, days or weeks, e\.g\. 90d\.\n/.exec(stderr) ?? [];
      expect(await add(`${Number(most) + 1}w`)).to.deep.include({ code: 2, stdout: "" });
      expect((await add(`${most}w`)).code).to.equal(0);
    });

    it("makes no keys file that nobody has named, and names the place where it looks", async () => {
      for (const args of [["add", "x"], ["revoke", "x"], ["list"]]) {
        const { code, stdout, stderr } = await run(["keys", ...args]);
        expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
        expect(stderr).to.match(/^petstore: .*keys file \/.*\/data\/keys\.json.*\.\n$/);
      }
      expect(readdirSync(folder())).to.deep.equal([]);
    });

    it("lets a running instance accept a new key and refuse a revoked one within 2 seconds", async () => {
      const program = await start();
      const { secret, ...key } = JSON.parse((await run(["keys", "add", "new", "--json"])).stdout);
      expect(key).to.have.all.keys("name", "created", "expires", "file");
      const answers = (status: number) =>
        until(async () => (await get(program, "/v1/pets", { key: secret })).status === status, 2000);
      await answers(200);
      await run(["keys", "revoke", "new"]);
      await answers(401);
    });
  });

  describe("config", () => {
    it("shows every setting with its origin, and masks secrets", async () => {
      const { code, stdout } = await run(["config", "--json"], { PETSTORE_API_KEY: "secret" });
      expect(code).to.equal(0);
      const masked = { name: "PETSTORE_API_KEY", value: "***", origin: "environment", fault: null };
      expect(JSON.parse(stdout)).to.deep.include(masked);
      const shown = (await run(["config"])).stdout;
      expect(shown).to.match(/^SETTING +VALUE +FROM\nPETSTORE_HOST +127.0.0.1 +default\n/);
    });

    it("exits with 2 if a setting is faulty or unknown, and names each", async () => {
      const { code, stderr } = await run(["config"], { PETSTORE_PORT: "http", PETSTORE_PROT: "1" });
      expect(code).to.equal(2);
      expect(stderr).to.equal(
        "petstore: PETSTORE_PORT must be a port from 0 to 65535, e.g. 3000\n" +
          "petstore: PETSTORE_PROT is not a setting; is it misspelt?\n",
      );
    });
  });

  describe("ready", () => {
    it("exits with 0 if the instance is ready, and with 1 if none answers", async () => {
      // The port is one that browsers and `fetch` refuse; the address is nobody else's (Linux has all of 127.0.0.0/8).
      const anywhere = `127.${[1, 2, 3].map(() => randomInt(1, 254)).join(".")}`;
      const host = process.platform === "linux" ? anywhere : "127.0.0.1";
      const address = { PETSTORE_ADMIN_HOST: host, PETSTORE_ADMIN_PORT: "10080" };
      const program = await start(address);
      const env = { ...address, PETSTORE_STORAGE_ADAPTERS: "gone" };
      expect(await run(["ready"], env)).to.deep.include({ code: 0, stdout: "ready\n" });
      const { stdout } = await run(["ready", "--json"], env);
      expect(JSON.parse(stdout)).to.deep.equal({ ready: true, readOnly: false, message: "ready" });
      await program.stop();
      const away = await run(["ready"], env);
      expect(away.code).to.equal(1);
      expect(away.stderr).to.include("no instance answers");
    });

    it("exits with 1 if another program answers at the admin port", async () => {
      const other = createServer((_req, res) => res.end("{}"));
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const { port } = other.address() as AddressInfo;
      const { code, stderr } = await run(["ready"], { PETSTORE_ADMIN_PORT: `${port}` });
      other.close();
      expect(code).to.equal(1);
      expect(stderr).to.include("no instance answers");
    });
  });
});
