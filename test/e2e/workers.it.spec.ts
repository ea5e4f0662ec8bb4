import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { E2E_KEY, listOver, petsClient } from "../support/pets-client.js";
import { type Program, runProgram, startProgram } from "../support/start-program.js";

const SETTINGS = { PETSTORE_WORKERS: "2", PETSTORE_STORAGE: "sqlite:pets.db", PETSTORE_API_KEY: E2E_KEY };

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

describe("workers", () => {
  const cwd = inEmptyFolder();

  function start(settings: Record<string, string> = {}): Promise<Program> {
    return startProgram({ cwd: cwd(), env: { ...SETTINGS, ...settings } });
  }

  /** Asks each time over a new connection. */
  async function listOften(serving: Program, times: number): Promise<void> {
    for (let asked = 0; asked < times; asked++) {
      expect((await listOver(serving.origin)).statusCode).to.equal(200);
    }
  }

  /**
   * Clients that ask all the time until told to end. Each opens a new connection if the old one is closed.
   */
  function load(serving: Program) {
    let ended = false;
    const failed: string[] = [];
    let answered = 0;
    async function client(): Promise<void> {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let asked = 0; !ended; asked++) {
        try {
          const { statusCode } = await listOver(serving.origin, agent);
          if (statusCode === 200) answered++;
          else failed.push(String(statusCode));
        } catch (error) {
          failed.push(String(error));
        }
        if (asked % 20 === 0) await sleep(Math.random() * 50);
      }
      agent.destroy();
    }
    const clients = Promise.all(Array.from({ length: 16 }, client));
    async function end() {
      ended = true;
      await clients;
      return { answered, failed };
    }
    return { end, answered: () => answered };
  }

  it("share the port, and look like one service to probes and Prometheus", async () => {
    const serving = await start();
    await listOften(serving, 20);
    expect(await serving.metric('petstore_http_requests_total{operation="listPets"')).to.equal(20);
    expect(await serving.metric("petstore_workers ")).to.equal(2);
    expect(await serving.readiness()).to.equal(200);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
    expect(serving.stdout.match(/first API key|listens on/g)).to.have.length(2);
  });

  it("are replaced one by one on SIGHUP without a failed request", async () => {
    const serving = await start();
    await listOften(serving, 20);
    const clients = load(serving);
    await until(() => clients.answered() > 100);
    serving.child.kill("SIGHUP");
    await serving.printed(/"workers replaced"/);
    const { answered, failed } = await clients.end();
    expect(failed).to.deep.equal([]);
    // The totals include the workers that were replaced.
    expect(await serving.metric('petstore_http_requests_total{operation="listPets"')).to.equal(answered + 20);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("leave only the database file at a stop, and every pet in it", async () => {
    const serving = await start();
    const { create } = petsClient(serving.origin);
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create(`{"name":"pet ${index}","categoryId":${index}}`)),
    );
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
    expect(readdirSync(cwd()).filter((name) => name.startsWith("pets.db"))).to.deep.equal(["pets.db"]);
    const copy = join(cwd(), "copy.db");
    copyFileSync(join(cwd(), "pets.db"), copy);
    const again = await start({ PETSTORE_STORAGE: `sqlite:${copy}` });
    expect(await petsClient(again.origin).all()).to.have.members(created.map(({ text }) => text));
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
    const serving = await start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HELD)}`,
    });
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
    await until(() => serving.workers.length === 2);
    await until(async () => (await serving.metric("petstore_workers ")) === 2);
    expect(await serving.metric("petstore_worker_deaths_total")).to.equal(2);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  describe("of which one does not answer", () => {
    let serving: Program;
    let worker: number;

    beforeEach(async () => {
      serving = await start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HUNG)}` });
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
      expect(JSON.parse(lines[0] as string)).to.include({
        worker,
        reason: "it gave no sign of life for 30 s",
      });
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
    const preload = `data:text/javascript,${encodeURIComponent(toggle)}`;
    const serving = await start({ NODE_OPTIONS: `--import=${preload}` });
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

  it("end the program with the reason if they cannot start", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const port = String((taken.address() as AddressInfo).port);
    const { code, stderr } = await runProgram({ cwd: cwd(), env: { ...SETTINGS, PETSTORE_PORT: port } });
    taken.close();
    expect(code).to.equal(1);
    expect(stderr).to.match(/^petstore: Port \d+ of 127\.0\.0\.1 is taken; .*\n$/);
  });

  it("end the program in the same words as one process would", async () => {
    const folder = { ...SETTINGS, PETSTORE_STORAGE: `sqlite:${cwd()}` };
    const several = await runProgram({ cwd: cwd(), env: folder });
    const one = await runProgram({ cwd: cwd(), env: { ...folder, PETSTORE_WORKERS: "1" } });
    expect(several).to.include({ code: one.code, stderr: one.stderr });
    // The log has the cause, which the message lacks.
    expect(one.stderr).to.match(/ cannot be used: it is a folder, .* \(.+\)\n$/);
  });

  it("share the rate limit of a key", async () => {
    const serving = await start({ PETSTORE_RATE_LIMIT: "5/60" });
    await listOften(serving, 5);
    const refused = await listOver(serving.origin);
    expect(refused.statusCode).to.equal(429);
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
