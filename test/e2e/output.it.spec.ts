import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { get } from "../support/client.js";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { leaveOut } from "../support/left-out.js";
import { openSqlite } from "../support/open-storages.js";
import { endPrograms, PROGRAM, Program, runProgram, startProgram } from "../support/start-program.js";

describe("A command whose output cannot be written", () => {
  const cwd = inEmptyFolder();
  let full: number;
  before(function () {
    if (existsSync("/dev/full")) return;
    leaveOut("output on a full disk", "run the tests where /dev/full is");
    this.skip();
  });
  beforeEach(() => {
    full = openSync("/dev/full", "w");
  });
  afterEach(async () => {
    closeSync(full);
    await endPrograms();
  });

  const files = ["sqlite:from.db", "sqlite:to.db"];
  const env = { PETSTORE_KEYS_FILE: "keys.json", PETSTORE_STORAGE: "memory:" };
  const run = (args: string[], output?: number) =>
    runProgram({ cwd: cwd(), args, env, ...(output !== undefined && { output }) });

  it("ends with exit code 1 and one line on standard error", async () => {
    await run(["keys", "add", "old"]);
    const storage = await openSqlite(join(cwd(), "from.db"));
    await storage.pets.create({ name: "Rex", categoryId: 1n, status: "sold" });
    await storage.close();
    for (const usage of [
      "keys list",
      "keys list --json",
      "keys revoke old",
      "config",
      "config --json",
      "storages",
      "--help",
      "conformance memory:",
      `copy ${files.join(" ")}`,
      `copy --json ${files.join(" ")}`,
    ]) {
      const { code, stderr } = await run(usage.split(" "), full);
      expect(code, usage).to.equal(1);
      expect(stderr, usage).to.match(/^(.*\n)*petstore: standard output cannot be written: ENOSPC.*\n$/);
      expect(stderr, usage).not.to.match(/^ +at /m);
    }
  });

  it("leaves no key that nobody has seen", async () => {
    await run(["keys", "add", "old"]);
    for (const args of [["new"], ["new", "--json"]]) {
      expect((await run(["keys", "add", ...args], full)).code).to.equal(1);
      expect(
        JSON.parse((await run(["keys", "list", "--json"])).stdout).map(({ name }: { name: string }) => name),
      ).to.deep.equal(["old"]);
    }
  });

  it("makes no key if its output is closed", async () => {
    const command = `"${process.execPath}" "${PROGRAM}" keys add new >&-`;
    const { status, stderr } = spawnSync("sh", ["-c", command], {
      cwd: cwd(),
      env: { ...process.env, ...env },
      encoding: "utf8",
    });
    expect(status).to.equal(1);
    expect(stderr).to.match(/^petstore: .*\n$/);
    expect(existsSync(join(cwd(), "keys.json"))).to.equal(false);
  });

  it("makes no first key that nobody sees", async () => {
    const port = await freePort();
    const program = new Program({ cwd: cwd(), env: { ...env, PETSTORE_PORT: `${port}` }, output: full });
    await until(() => get({ port }, "/v1/pets").then(Boolean, () => false));
    await program.stop();
    expect(JSON.parse((await run(["keys", "list", "--json"])).stdout)).to.deep.equal([]);
  });

  for (const variable of ["NOTIFY_SOCKET", "INVOCATION_ID"]) {
    it(`shows no first key under systemd (${variable}), whose journal would keep it`, async () => {
      const program = await startProgram({ cwd: cwd(), env: { ...env, [variable]: "/nowhere" } });
      await program.printed(/the keys file has no key; make one with: petstore keys add NAME/);
      expect(program.stdout).not.to.include("petstore_");
      expect(JSON.parse((await run(["keys", "list", "--json"])).stdout)).to.deep.equal([]);
    });
  }

  it("takes the first key that an operator adds while it runs", async () => {
    const program = await startProgram({ cwd: cwd(), env: { ...env, INVOCATION_ID: "x" } });
    const { secret } = JSON.parse((await run(["keys", "add", "first", "--json"])).stdout);
    await until(async () => (await get(program, "/v1/pets", { key: secret })).status === 200);
  });

  it("opens no debugger at SIGUSR1", async () => {
    const program = await startProgram({ cwd: cwd(), env });
    program.child.kill("SIGUSR1");
    await get(program, "/v1/pets");
    await sleep(500);
    expect((await program.stop()).stderr).to.equal("");
  });

  it("says that too few files may be open", async () => {
    const command = `ulimit -n 24; exec '${process.execPath}' '${PROGRAM}'`;
    const { status, stderr } = spawnSync("sh", ["-c", command], {
      cwd: cwd(),
      encoding: "utf8",
      timeout: 60_000,
    });
    expect(status).to.equal(1);
    expect(stderr).to.match(/^petstore: too few files may be open at once; raise the limit, .*\n$/);
  });
});
