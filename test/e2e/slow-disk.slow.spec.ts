import { utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { eventually } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { E2E_KEY, petsClient } from "../support/pets-client.js";
import { SlowDisk } from "../support/slow-disk.js";
import { endPrograms, type Program, startProgram } from "../support/start-program.js";
import { create, SteadyLoad, type TimedCreate } from "../support/steady-load.js";
import { hasTool } from "../support/tool.js";

/** How long a read may take at most, in milliseconds: far less than any fsync in these tests. */
const AT_ONCE = 3500;

describe("The program, on a slow disk", () => {
  let disk: SlowDisk;
  let program: Program;

  before(function () {
    if (!hasTool("cc", "slow disks")) this.skip();
  });
  const cwd = inEmptyFolder();
  beforeEach(async () => {
    disk = new SlowDisk(cwd());
    program = await start();
    await create(program, "first", `{"name":"Rex","categoryId":1}`);
  });
  afterEach(async () => {
    disk.heal();
    await endPrograms();
  });

  const start = (env: Readonly<Record<string, string>> = {}) =>
    startProgram({
      cwd: cwd(),
      env: {
        ...disk.env,
        ...env,
        PETSTORE_API_KEY: E2E_KEY,
      },
    });

  /** Repeats every create under its key. Each must now get one pet, which is stored once. */
  async function expectOnePetEach(creates: readonly TimedCreate[]): Promise<void> {
    const repeated: TimedCreate[] = [];
    for (const { key, body } of creates) repeated.push(await create(program, key, body));
    expect(new Set(repeated.map(({ status }) => status))).to.deep.equal(new Set([201]));
    for (const [index, { status, text }] of creates.entries()) {
      if (status === 201) expect(repeated[index]?.text, "what was acknowledged").to.equal(text);
    }
    const stored = await petsClient(program.origin).all();
    const [, ...others] = stored;
    expect(others.sort()).to.deep.equal(repeated.map(({ text }) => text).sort());
  }

  it("goes on with all but creates while the disk stands still for 12 s, and heals", async () => {
    const load = new SteadyLoad(program, 40);
    await sleep(500);
    const stall = performance.now();
    disk.standStill();
    await sleep(12_000);
    const healed = performance.now();
    disk.heal();
    await eventually(async () => ((await fetch(`${program.admin}/readyz`)).ok ? true : undefined));
    await sleep(300);
    const creates = await load.end();

    expect(load.unexpected).to.deep.equal([]);
    for (const [name, answers] of load.reads) expect(answers.length, name).to.be.greaterThan(12);
    expect(load.slowestRead).to.be.lessThan(AT_ONCE);
    // Each create gets an answer, in about 4 s at most.
    expect(creates.filter(({ status }) => status !== 201 && status !== 503)).to.deep.equal([]);
    expect(Math.max(...creates.map(({ taken }) => taken))).to.be.lessThan(9000);
    expect(creates.at(-1)?.status).to.equal(201);
    const refused = creates.filter(({ status }) => status === 503);
    for (const { text } of refused) expect(JSON.parse(text).code).to.equal("storage_unavailable");
    expect(refused.length).to.be.greaterThan(10);
    const late = load.readiness.filter(({ sent, taken }) => sent > stall + 8000 && sent + taken < healed);
    expect(new Set(late.map(({ status }) => status))).to.deep.equal(new Set([503]));
    expect(load.readiness.at(-1)?.status).to.equal(200);
    await expectOnePetEach(creates);
    // The cause is in the log once, however many creates it failed.
    expect(program.stdout.match(/the storage cannot be used/g)?.length ?? 0).to.be.at.most(1);
  });

  it("lets creates that wait share the next commit, and no list wait for one", async () => {
    disk.slow(300);
    const before = await commits();
    const begun = performance.now();
    const load = new SteadyLoad(program, 20);
    await sleep(4000);
    const creates = await load.end();
    expect(new Set(creates.map(({ status }) => status))).to.deep.equal(new Set([201]));
    const most = (performance.now() - begun) / 300 + 1;
    expect((await commits()) - before).to.be.within(3, most);
    expect(creates.length).to.be.greaterThan(most);
    const slower = creates.filter(({ taken }) => taken > 290);
    expect(slower.length).to.equal(creates.length);
    const lists = (load.reads.get("lists") ?? []).map(({ taken }) => taken).sort((a, b) => a - b);
    expect(lists[Math.floor(lists.length / 2)]).to.be.lessThan(200);
    expect(load.unexpected).to.deep.equal([]);
  });

  async function commits(): Promise<number> {
    const text = await (await fetch(`${program.admin}/metrics`)).text();
    return Number(/^petstore_sqlite_commits_total (\d+)$/m.exec(text)?.[1]);
  }

  it("ends by itself, and not by a crash, if the disk stands still as it stops", async () => {
    disk.standStill();
    const ended = program.stop();
    // A second for clients, 5 s for the storage; then the process waits for the thread.
    await sleep(8000);
    disk.heal();
    const { code, signal } = await ended;
    expect(signal).to.equal(null);
    expect(code).to.be.oneOf([0, 1]);
  });

  it("goes on with the keys that it knows, and with its log, while the keys file hangs", async () => {
    await endPrograms();
    program = await start({ HUNG_FILE: "keys.json" });
    disk.standStill();
    const keysFile = join(cwd(), "data", "keys.json");
    for (let change = 1; change <= 6; change++) {
      utimesSync(keysFile, new Date(), new Date(Date.now() - change * 10_000));
      await sleep(1100);
    }
    const logged = program.stdout.length;
    for (let n = 0; n < 10; n++)
      expect((await petsClient(program.origin).get("/v1/pets")).status).to.equal(200);
    await eventually(() => (program.stdout.length > logged ? true : undefined));
    await eventually(async () =>
      (await fetch(`${program.admin}/readyz`)).status === 503 ? true : undefined,
    );
    await program.stop("SIGKILL");
  });

  it("answers and logs while the look-up of a storage's host hangs", async () => {
    await endPrograms();
    const storage = "mongodb://host.invalid/petstore";
    program = await start({ HUNG_NAME: "host.invalid", PETSTORE_STORAGE: storage });
    disk.standStill();
    const list = () => petsClient(program.origin).get("/v1/pets");
    const asked = performance.now();
    while (performance.now() - asked < 6000) {
      expect((await list()).status).to.equal(503);
      for (const [address, status] of [
        [`${program.origin}/v1/pets`, 401],
        [`${program.admin}/livez`, 200],
        [`${program.admin}/metrics`, 200],
        [`${program.admin}/readyz`, 503],
      ] as const)
        expect((await fetch(address)).status, address).to.equal(status);
      await sleep(500);
    }
    const logged = program.stdout.length;
    await list();
    await eventually(() => (program.stdout.length > logged ? true : undefined));
    await program.stop("SIGKILL");
  });
});
