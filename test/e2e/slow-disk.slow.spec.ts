import { execFileSync } from "node:child_process";
import { rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { get, post } from "../support/client.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { Load } from "../support/load.js";
import { openSqlite } from "../support/open-storages.js";
import { SlowDisk } from "../support/slow-disk.js";
import { endPrograms, type Program, startProgram, statusOf } from "../support/start-program.js";
import { needTools } from "../support/tool.js";

/** How long an answer may take that needs no commit, in milliseconds: far less than the disk stands still. */
const AT_ONCE = 3500;

describe("The program, on a disk that stands still", () => {
  let disk: SlowDisk;
  let program: Program;

  needTools("slow disks", "cc");
  const cwd = inEmptyFolder();
  beforeEach(() => {
    disk = new SlowDisk(cwd());
  });
  afterEach(async () => {
    disk.heal();
    await endPrograms();
  });

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    program = await startProgram({ cwd: cwd(), env: { ...disk.env, ...env } });
  }

  /** Asks for a while what needs no storage, and whether the program is ready, which it must not be. */
  async function expectUnready(milliseconds: number): Promise<void> {
    for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(100)) {
      for (const [address, status] of [
        [`${program.origin}/v1/pets`, 401],
        [`${program.admin}/livez`, 200],
        [`${program.admin}/metrics`, 200],
        [`${program.admin}/readyz`, 503],
      ] as const) {
        const asked = performance.now();
        expect(await statusOf(address), address).to.equal(status);
        if (status !== 503) expect(performance.now() - asked, address).to.be.lessThan(AT_ONCE);
      }
    }
  }

  async function expectLogged(): Promise<void> {
    const logged = program.stdout.length;
    await get(program, "/v1/pets");
    await until(() => program.stdout.length > logged);
  }

  it("goes on with all but creates for 12 s, and heals", async () => {
    await start();
    const load = new Load(program);
    await until(() => load.acknowledged.size > 20);
    disk.standStill();
    await until(async () => (await program.readiness()) === 503);
    await expectUnready(10_000);
    disk.heal();
    await load.healedAfter(performance.now(), "the stall", 10_000);
    await until(async () => (await program.readiness()) === 200);
    await load.end();
    expect(load.slowestRead).to.be.lessThan(AT_ONCE);
    expect(load.statuses[503]).to.be.greaterThan(10);
    await load.verify();
    // The cause is in the log once, however many creates it failed.
    expect(program.stdout.match(/the storage cannot be used/g)?.length ?? 0).to.be.at.most(1);
  });

  it("answers all that needs no storage at once while no read ends, refuses reads within 5 s, and heals", async () => {
    await start();
    await post(program, '{"name":"Rex","categoryId":1}');
    // The reading thread has not seen this pet's page yet.
    disk.hangReads();
    const asked = performance.now();
    const reads = ["/v1/pets", "/v1/pets/1"].map(async (path) => {
      const { status } = await get(program, path);
      return [status, performance.now() - asked] as const;
    });
    const unready = (async () => {
      await until(async () => (await program.readiness()) === 503);
      return performance.now() - asked;
    })();
    const slowest: number[] = [];
    for (; performance.now() - asked < 8000; await sleep(50)) {
      for (const [address, status] of [
        [`${program.origin}/v1/pets`, 401],
        [`${program.origin}/docs`, 200],
        [`${program.origin}/openapi.json`, 200],
        [`${program.origin}/nowhere`, 404],
        [`${program.admin}/livez`, 200],
      ] as const) {
        const begun = performance.now();
        expect(await statusOf(address), address).to.equal(status);
        slowest.push(performance.now() - begun);
      }
    }
    for (const [status, taken] of await Promise.all(reads)) {
      expect(status).to.equal(503);
      expect(taken).to.be.lessThan(5000 + AT_ONCE);
    }
    expect(Math.max(...slowest)).to.be.lessThan(AT_ONCE);
    expect(await unready).to.be.lessThan(5000 + AT_ONCE);
    expect(await program.readiness()).to.equal(503);
    disk.heal();
    await until(async () => (await program.readiness()) === 200);
    expect((await get(program, "/v1/pets/1")).status).to.equal(200);
  });

  it("acknowledges no pet whose log goes while it is written", async () => {
    await start();
    expect((await post(program, '{"name":"Rex","categoryId":1}')).status).to.equal(201);
    const log = join(cwd(), "data", "petstore.db-wal");
    const { size } = statSync(log);
    disk.standStill();
    const create = post(program, '{"name":"Rex","categoryId":1}');
    // It is written, and not yet on the disk.
    await until(() => statSync(log).size > size);
    rmSync(log);
    disk.heal();
    expect((await create).status).to.equal(503);
  });

  it("takes pets again once a full disk has room, though a checkpoint has failed meanwhile", async () => {
    const path = join(cwd(), "data", "petstore.db");
    const name = "x".repeat(200);
    const storage = await openSqlite(path);
    for (let pets = 0; pets < 30_000; pets += 1000) {
      await Promise.all(
        Array.from({ length: 1000 }, () => storage.pets.create({ name, categoryId: 1n, status: "sold" })),
      );
    }
    await storage.close();
    await start();
    const limit = (bytes: number | "unlimited") =>
      execFileSync("prlimit", [`--pid=${program.child.pid}`, `--fsize=${bytes}:`]);
    const create = async () => (await post(program, JSON.stringify({ name, categoryId: 1 }))).status;
    // The log has room for a thousand pages, and more; the file grows no further.
    limit(statSync(path).size);
    const failed = async () => (await Promise.all(Array.from({ length: 16 }, create))).includes(503);
    while (!(await failed())) expect(await program.readiness()).to.equal(200);
    limit("unlimited");
    await until(async () => (await create()) === 201);
    await program.stop();
  });

  it("ends by itself, and not by a crash, if the disk stands still as it stops", async () => {
    await start();
    expect((await post(program, '{"name":"Rex","categoryId":1}')).status).to.equal(201);
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
    await start({ HUNG_FILE: "keys.json" });
    disk.standStill();
    const keysFile = join(cwd(), "data", "keys.json");
    for (let change = 1; change <= 6; change++) {
      utimesSync(keysFile, new Date(), new Date(Date.now() - change * 10_000));
      await sleep(1100);
    }
    for (let n = 0; n < 10; n++) expect((await get(program, "/v1/pets")).status).to.equal(200);
    await expectLogged();
    await until(async () => (await program.readiness()) === 503);
    await program.stop("SIGKILL");
  });

  it("answers and logs while the look-up of a storage's host hangs", async () => {
    await start({ HUNG_NAME: "host.invalid", PETSTORE_STORAGE: "mongodb://host.invalid/petstore" });
    disk.standStill();
    expect((await get(program, "/v1/pets")).status).to.equal(503);
    await expectUnready(6000);
    await expectLogged();
    await program.stop("SIGKILL");
  });
});
