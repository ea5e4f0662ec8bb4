import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { E2E_KEY } from "../support/pets-client.js";
import { head, RawConnection } from "../support/raw-http.js";
import { startProgram } from "../support/start-program.js";
import { hasTool } from "../support/tool.js";

describe("The program, without descriptors left", function () {
  this.timeout(30_000);
  let cwd: string;

  before(function () {
    if (!hasTool("prlimit", "a lack of descriptors")) this.skip();
  });
  inEmptyFolder((folder) => {
    cwd = folder;
  });

  /** Asks over a connection that is kept, since no new one is accepted. */
  function ask(agent: Agent, url: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { agent }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode as number));
      });
      sent.on("error", reject).end();
    });
  }

  function limit(pid: number, descriptors: number): void {
    execFileSync("prlimit", [`--pid=${pid}`, `--nofile=${descriptors}:`]);
  }

  it("goes on with its metrics and refuses documents, though it has read neither before, and heals", async () => {
    const program = await startProgram({ cwd, env: { PETSTORE_API_KEY: E2E_KEY } });
    // The program loads its metrics a second after the start.
    await sleep(2000);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await ask(agent, `${program.admin}/livez`)).to.equal(200);
    expect(await ask(agent, `${program.origin}/`)).to.equal(404);
    const urls = [`${program.admin}/metrics`, `${program.origin}/openapi.json`];
    const statuses = async () => [await ask(agent, urls[0] as string), await ask(agent, urls[1] as string)];
    // Input, output and errors have these.
    limit(program.child.pid as number, 3);
    const without = await statuses();
    limit(program.child.pid as number, 1024);
    expect([without, await statuses()]).to.deep.equal([
      [200, 503],
      [200, 200],
    ]);
    agent.destroy();
  });

  it("answers, with workers, the connections that came meanwhile, and new ones", async () => {
    const env = { PETSTORE_API_KEY: E2E_KEY, PETSTORE_STORAGE: "sqlite:pets.db", PETSTORE_WORKERS: "2" };
    const program = await startProgram({ cwd, env });
    await sleep(2000);
    const { pid } = program.child;
    const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
    expect(workers).to.have.length(2);
    for (const worker of workers) limit(worker, 3);
    const meanwhile = Array.from({ length: 8 }, () => ask(new Agent(), `${program.origin}/`));
    await sleep(1000);
    for (const worker of workers) limit(worker, 1024);
    const later = Array.from({ length: 8 }, () => ask(new Agent(), `${program.origin}/`));
    const statuses = await Promise.all([...meanwhile, ...later]);
    expect(statuses).to.deep.equal(Array(16).fill(404));
  });

  it("answers 503 on the connections beyond its descriptors, and goes on answering probes", async () => {
    const program = await startProgram({ cwd, descriptors: 128 });
    const connections: RawConnection[] = [];
    const answers: number[] = [];
    for (let count = 0; count < 200; count++) {
      const connection = await RawConnection.open(program.port);
      connections.push(connection);
      answers.push((await connection.send(head("GET /v1/pets HTTP/1.1")).answer()).status);
    }
    expect(new Set(answers)).to.deep.equal(new Set([401, 503]));
    expect(await ask(new Agent(), `${program.admin}/livez`)).to.equal(200);
    expect(program.stdout).to.match(/"connections":\d+,"descriptors":128,"msg":"fewer connections/);
    for (const connection of connections) connection.close();
  });
});
