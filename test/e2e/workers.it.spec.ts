import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { allPets, get, post } from "../support/client.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { Load } from "../support/load.js";
import { Program, runProgram, startProgram } from "../support/start-program.js";

const SETTINGS = { PETSTORE_WORKERS: "2", PETSTORE_STORAGE: "sqlite:pets.db" };

/** The primary's watch runs five times as fast, so that 30 s of silence are 6; SIGUSR2 makes a worker busy for 2. */
const HUNG = `
  import cluster from "node:cluster";
  const { setInterval } = globalThis;
  if (cluster.isPrimary) globalThis.setInterval = (task, time) => setInterval(task, time / 5);
  else process.on("SIGUSR2", () => { for (const end = Date.now() + 2000; Date.now() < end; ); });
`;

/** No worker starts as long as there is a file "hold". The one that finds a file "first" starts once the test removes "last". */
const HELD = `
  import { existsSync, renameSync } from "node:fs";
  import { setTimeout as sleep } from "node:timers/promises";
  let held = "hold";
  if (process.send && existsSync("first")) renameSync("first", (held = "last"));
  while (process.send && existsSync(held)) await sleep(20);
`;

/** The NODE_OPTIONS with which each process runs this first. */
const preloaded = (source: string) => `--import=data:text/javascript,${encodeURIComponent(source)}`;

describe("workers", () => {
  const cwd = inEmptyFolder();

  function start(settings: Record<string, string> = {}): Promise<Program> {
    return startProgram({ cwd: cwd(), env: { ...SETTINGS, ...settings } });
  }

  /** Asks each time over a new connection. */
  async function listOften(serving: Program, times: number): Promise<void> {
    for (let asked = 0; asked < times; asked++) {
      expect((await get(serving, "/v1/pets", { agent: false })).status).to.equal(200);
    }
  }

  it("share the port and the file, look like one service, and lose nothing at a stop", async () => {
    const serving = await start();
    const created: string[] = [];
    for (let n = 0; n < 20; n++) {
      const { text } = await post(serving, `{"name":"pet ${n}","categoryId":${n}}`, { agent: false });
      created.push(text);
    }
    expect(await serving.metric('petstore_http_requests_total{operation="createPet"')).to.equal(20);
    expect(await serving.metric("petstore_workers ")).to.equal(2);
    expect(await serving.metric("petstore_build_info")).to.equal(2);
    expect(await serving.readiness()).to.equal(200);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
    expect(serving.stdout.match(/first API key|listens on/g)).to.have.length(2);
    expect(await allPets(await start())).to.deep.equal(created);
  });

  it("are replaced one by one on SIGHUP without a failed request", async () => {
    const serving = await start();
    const load = new Load(serving);
    await until(() => load.acknowledged.size > 20);
    serving.child.kill("SIGHUP");
    await serving.printed(/"workers replaced"/);
    await load.end();
    expect(load.statuses).to.have.all.keys("200", "201");
    // The totals include the workers that were replaced.
    const { 200: read, 201: created } = load.statuses;
    expect(await serving.metric("petstore_http_requests_total")).to.equal(Number(read) + Number(created));
    await load.verify();
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("are replaced if they die, and the deaths are counted", async () => {
    const serving = await start();
    await listOften(serving, 10);
    await serving.metric("petstore_workers");
    process.kill(serving.workers[0] as number, "SIGKILL");
    await until(async () => (await serving.metric("petstore_worker_deaths_total")) === 1);
    await until(async () => (await serving.metric("petstore_workers ")) === 2);
    await listOften(serving, 10);
    expect(await serving.metric('petstore_http_requests_total{operation="listPets"')).to.equal(20);
    expect(await serving.readiness()).to.equal(200);
    expect(serving.stdout).to.match(/"reason":"SIGKILL".*"worker died; it will be replaced"/);
  });

  it("are as many as before if some die during a replacement", async () => {
    const serving = await start({ NODE_OPTIONS: preloaded(HELD), PETSTORE_WORKERS: "3" });
    await listOften(serving, 20);
    const [one, other] = serving.workers as [number, number];
    for (const file of ["hold", "first"]) writeFileSync(join(cwd(), file), "");
    process.kill(one, "SIGKILL");
    await serving.printed(/"worker died; it will be replaced"/);
    await until(() => existsSync(join(cwd(), "last")));
    serving.child.kill("SIGHUP");
    await serving.printed(/"replacing workers"/);
    process.kill(other, "SIGKILL");
    rmSync(join(cwd(), "hold"));
    await serving.printed(/"workers replaced"/);
    rmSync(join(cwd(), "last"));
    // A successor that is not needed any more ends.
    await until(() => serving.workers.length === 3);
    await until(async () => (await serving.metric("petstore_workers ")) === 3);
    expect(await serving.metric("petstore_worker_deaths_total")).to.equal(2);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("end the program with exit code 1 if the last one dies before another listens", async () => {
    const serving = await start({ NODE_OPTIONS: preloaded(HELD) });
    const [one, other] = serving.workers as [number, number];
    writeFileSync(join(cwd(), "hold"), "");
    process.kill(one, "SIGKILL");
    // The successor of the first is there, and does not listen yet.
    await until(() => serving.workers.length === 2 && !serving.workers.includes(one));
    process.kill(other, "SIGKILL");
    const { code, stdout, stderr } = await serving.ended;
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: "petstore: No worker process is left; the log says why they died.\n",
    });
    const told = /"reason":"SIGKILL","msg":"worker died; it was the last one, and the program ends"/;
    expect(stdout).to.match(told);
    expect(stdout.match(/"level":50/g)).to.have.length(2);
  });

  it("stop if a signal comes while they start, however long that takes", async () => {
    writeFileSync(join(cwd(), "hold"), "");
    const env = { ...SETTINGS, NODE_OPTIONS: preloaded(HELD) };
    const starting = new Program({ cwd: cwd(), env });
    await until(() => Boolean(starting.workers[0]));
    starting.child.kill("SIGTERM");
    expect(await starting.ended).to.include({ code: 0, signal: null, stderr: "" });
  });

  describe("of which one does not answer", () => {
    let serving: Program;
    let worker: number;

    beforeEach(async () => {
      serving = await start({ NODE_OPTIONS: preloaded(HUNG) });
      worker = serving.workers[0] as number;
    });
    afterEach(() => {
      try {
        process.kill(worker, "SIGKILL");
      } catch {
        // The primary has killed the worker, or the program has ended.
      }
    });

    it("go on serving, and the one is killed and replaced", async () => {
      process.kill(worker, "SIGSTOP");
      await listOften(serving, 20);
      await serving.printed(/"worker died; it will be replaced"/);
      const lines = serving.stdout.split("\n").filter((line) => line.includes('"level":50'));
      expect(lines).to.have.length(1);
      const reason = "it gave no sign of life for 30 s";
      expect(JSON.parse(lines[0] as string)).to.include({ worker, reason });
      await until(async () => (await serving.metric("petstore_workers ")) === 2);
      expect(await serving.metric("petstore_worker_deaths_total")).to.equal(1);
      expect(await serving.readiness()).to.equal(200);
      await listOften(serving, 10);
      expect(await serving.stop()).to.include({ code: 0, stderr: "" });
    });

    it("leave the one alone if it is only busy", async () => {
      process.kill(worker, "SIGUSR2");
      // The worker answers the probe once it is no longer busy.
      expect(await serving.readiness()).to.equal(200);
      await sleep(3000);
      expect(await serving.metric("petstore_worker_deaths_total")).to.equal(0);
      expect(serving.workers).to.include(worker);
    });
  });

  it("are tried again if the system starts no process", async () => {
    const toggle = `const { execPath } = process; process.on("SIGUSR2", () => {
      process.execPath = process.execPath === execPath ? "/missing/node" : execPath;
      console.log("toggled");
    });`;
    const serving = await start({ NODE_OPTIONS: preloaded(toggle) });
    await listOften(serving, 20);
    serving.child.kill("SIGUSR2");
    await serving.printed(/^toggled$/m);
    serving.child.kill("SIGHUP");
    await serving.printed(/spawn \/missing\/node ENOENT.*"workers not replaced/);
    process.kill(serving.workers[0] as number, "SIGKILL");
    await serving.printed(/spawn \/missing\/node ENOENT.*"worker not replaced; it will be tried again"/);
    await listOften(serving, 10);
    serving.child.kill("SIGUSR2");
    await until(async () => (await serving.metric("petstore_workers ")) === 2);
    expect(await serving.readiness()).to.equal(200);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("end the program in the same words as one process would if they cannot start", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    // The cause follows in brackets: the primary listens for a worker, and then the cause is in other words.
    const wordsOf = (stderr: string) => stderr.replace(/ \([^()]+\)\n$/, " (CAUSE)");
    for (const [settings, words] of [
      [{ PETSTORE_PORT: String(port) }, /^petstore: Port \d+ of 127\.0\.0\.1 is taken; .* \(CAUSE\)$/],
      [{ PETSTORE_STORAGE: `sqlite:${cwd()}` }, / cannot be used: it is a folder, .* \(CAUSE\)$/],
    ] as const) {
      const env = { ...SETTINGS, ...settings };
      const several = await runProgram({ cwd: cwd(), env });
      const one = await runProgram({ cwd: cwd(), env: { ...env, PETSTORE_WORKERS: "1" } });
      expect([several.code, one.code]).to.deep.equal([1, 1]);
      expect(wordsOf(several.stderr)).to.equal(wordsOf(one.stderr)).and.to.match(words);
    }
    taken.close();
  });

  it("share the rate limit of a key", async () => {
    const serving = await start({ PETSTORE_RATE_LIMIT: "5/60" });
    await listOften(serving, 5);
    const refused = await get(serving, "/v1/pets");
    expect(refused.status).to.equal(429);
    expect(refused.headers.ratelimit).to.match(/^"api-key";r=0;t=\d+$/);
  });

  it("all end if the primary is killed", async () => {
    const serving = await start();
    const workers = serving.workers;
    serving.child.kill("SIGKILL");
    await until(() => !workers.some(isRunning));
  });

  function isRunning(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }
});
