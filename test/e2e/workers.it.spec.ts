import { once } from "node:events";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { E2E_KEY, petsClient } from "../support/pets-client.js";
import { type Program, runProgram, startProgram } from "../support/start-program.js";

const SETTINGS = { PETSTORE_WORKERS: "2", PETSTORE_STORAGE: "sqlite:pets.db", PETSTORE_API_KEY: E2E_KEY };

describe("workers", function () {
  this.timeout(60_000);
  let cwd: string;

  function start(settings: Record<string, string> = {}): Promise<Program> {
    return startProgram({ cwd, env: { ...SETTINGS, ...settings } });
  }

  inEmptyFolder((folder) => {
    cwd = folder;
  });

  /** Asks over the agent's connections, without trying again. */
  async function list({ origin }: Program, agent: Agent): Promise<IncomingMessage> {
    const sent = request(`${origin}/v1/pets`, {
      agent,
      headers: { Authorization: `Bearer ${E2E_KEY}` },
    }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    return response;
  }

  /** Asks each time over a new connection. */
  async function listOften(serving: Program, times: number): Promise<void> {
    for (let asked = 0; asked < times; asked++) {
      expect((await list(serving, new Agent())).statusCode).to.equal(200);
    }
  }

  async function readMetric({ admin }: Program, name: string): Promise<number> {
    const text = await (await fetch(`${admin}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line.startsWith(name));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  /** The worker processes, the oldest first. */
  function workersOf({ child: { pid } }: Program): number[] {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  }

  async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 300; tries++) {
      if (await holds()) return;
      await sleep(50);
    }
    throw new Error(`not in time: ${what}`);
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
      for (let asked = 0; asked < 200_000 && !ended; asked++) {
        try {
          const { statusCode } = await list(serving, agent);
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
    return async () => {
      ended = true;
      await clients;
      return { answered, failed };
    };
  }

  it("share the port, and look like one service to probes and Prometheus", async () => {
    const serving = await start();
    await listOften(serving, 20);
    expect(await readMetric(serving, 'petstore_http_requests_total{operation="listPets"')).to.equal(20);
    expect(await readMetric(serving, "petstore_workers ")).to.equal(2);
    expect((await fetch(`${serving.admin}/readyz`)).status).to.equal(200);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
    expect(serving.stdout.match(/first API key|listens on/g)).to.have.length(2);
  });

  it("are replaced one by one on SIGHUP without a failed request", async () => {
    const serving = await start();
    await listOften(serving, 20);
    const end = load(serving);
    await sleep(300);
    serving.child.kill("SIGHUP");
    await serving.printed(/"workers replaced"/);
    const { answered, failed } = await end();
    expect(failed).to.deep.equal([]);
    expect(answered).to.be.greaterThan(100);
    // The totals include the workers that were replaced.
    expect(await readMetric(serving, 'petstore_http_requests_total{operation="listPets"')).to.equal(
      answered + 20,
    );
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("leave only the database file at a stop, and every pet in it", async () => {
    const serving = await start();
    const { create } = petsClient(serving.origin);
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create(`{"name":"pet ${index}","categoryId":${index}}`)),
    );
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
    expect(readdirSync(cwd).filter((name) => name.startsWith("pets.db"))).to.deep.equal(["pets.db"]);
    const copy = join(cwd, "copy.db");
    copyFileSync(join(cwd, "pets.db"), copy);
    const again = await start({ PETSTORE_STORAGE: `sqlite:${copy}` });
    expect(await petsClient(again.origin).all()).to.have.members(created.map(({ text }) => text));
  });

  it("are replaced if they die, and the deaths are counted", async () => {
    const serving = await start();
    await listOften(serving, 10);
    await readMetric(serving, "petstore_workers");
    process.kill(workersOf(serving)[0] as number, "SIGKILL");
    await until(
      "the death was counted",
      async () => (await readMetric(serving, "petstore_worker_deaths_total")) === 1,
    );
    await until("two run", async () => (await readMetric(serving, "petstore_workers ")) === 2);
    await listOften(serving, 10);
    expect(await readMetric(serving, 'petstore_http_requests_total{operation="listPets"')).to.equal(20);
    expect((await fetch(`${serving.admin}/readyz`)).status).to.equal(200);
    expect(serving.stdout).to.match(/"reason":"SIGKILL".*"worker died; it will be replaced"/);
  });

  it("are as many as before if some die during a replacement", async () => {
    const serving = await start();
    await listOften(serving, 20);
    const [one, other] = workersOf(serving) as [number, number];
    process.kill(one, "SIGKILL");
    await serving.printed(/"worker died; it will be replaced"/);
    // The successor of the dead worker does not listen yet.
    await until("its successor has started", () => workersOf(serving).length === 2);
    serving.child.kill("SIGHUP");
    await sleep(50);
    process.kill(other, "SIGKILL");
    await serving.printed(/"workers replaced"/);
    await until("all places are filled", async () => (await readMetric(serving, "petstore_workers ")) >= 2);
    await sleep(1000);
    expect(await readMetric(serving, "petstore_workers ")).to.equal(2);
    expect(await readMetric(serving, "petstore_worker_deaths_total")).to.equal(2);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("are tried again if the system starts no process", async () => {
    const toggle = `const { execPath } = process; process.on("SIGUSR2", () => {
      process.execPath = process.execPath === execPath ? "/missing/node" : execPath;
    });`;
    const preload = `data:text/javascript,${encodeURIComponent(toggle)}`;
    const serving = await start({ NODE_OPTIONS: `--import=${preload}` });
    await listOften(serving, 20);
    serving.child.kill("SIGUSR2");
    await sleep(100);
    serving.child.kill("SIGHUP");
    await serving.printed(/spawn \/missing\/node ENOENT.*"workers not replaced/);
    process.kill(workersOf(serving)[0] as number, "SIGKILL");
    await serving.printed(/spawn \/missing\/node ENOENT.*"worker not replaced; it will be tried again"/);
    await listOften(serving, 10);
    serving.child.kill("SIGUSR2");
    await until("two run", async () => (await readMetric(serving, "petstore_workers ")) === 2);
    expect((await fetch(`${serving.admin}/readyz`)).status).to.equal(200);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("end the program with the reason if they cannot start", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const port = String((taken.address() as AddressInfo).port);
    const { code, stderr } = await runProgram({ cwd, env: { ...SETTINGS, PETSTORE_PORT: port } });
    taken.close();
    expect(code).to.equal(1);
    expect(stderr).to.match(/^petstore: Port \d+ of 127\.0\.0\.1 is taken; .*\n$/);
  });

  it("end the program in the same words as one process would", async () => {
    const folder = { ...SETTINGS, PETSTORE_STORAGE: `sqlite:${cwd}` };
    const several = await runProgram({ cwd, env: folder });
    const one = await runProgram({ cwd, env: { ...folder, PETSTORE_WORKERS: "1" } });
    expect(several).to.include({ code: one.code, stderr: one.stderr });
    // The log has the cause, which the message lacks.
    expect(one.stderr).to.match(/ cannot be used: it is a folder, .* \(.+\)\n$/);
  });

  it("share the rate limit of a key", async () => {
    const serving = await start({ PETSTORE_RATE_LIMIT: "5/60" });
    await listOften(serving, 5);
    const refused = await list(serving, new Agent());
    expect(refused.statusCode).to.equal(429);
    expect(refused.headers.ratelimit).to.match(/^"api-key";r=0;t=\d+$/);
  });

  it("all end if the primary is killed", async () => {
    const serving = await start();
    const workers = workersOf(serving);
    serving.child.kill("SIGKILL");
    await until("both ended", () => !workers.some(isRunning));
  });

  function isRunning(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }
});
