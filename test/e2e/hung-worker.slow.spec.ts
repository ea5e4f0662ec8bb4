import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { expect } from "chai";
import { eventually } from "../support/eventually.js";
import { E2E_KEY } from "../support/pets-client.js";
import { endPrograms, type Program, startProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

/** The primary's watch runs five times as fast, so that 30 s of silence are 6; SIGUSR2 makes a worker busy for 2. */
const PRELOAD = `
  import cluster from "node:cluster";
  const { setInterval } = globalThis;
  if (cluster.isPrimary) globalThis.setInterval = (task, time) => setInterval(task, time / 5);
  else process.on("SIGUSR2", () => { for (const end = Date.now() + 2000; Date.now() < end; ); });
`;

describe("a worker that does not answer", function () {
  this.timeout(60_000);
  let cwd: string;
  let serving: Program;
  let hung: number | undefined;

  beforeEach(async () => {
    cwd = makeFolder();
    serving = await startProgram({
      cwd,
      env: {
        PETSTORE_WORKERS: "2",
        PETSTORE_STORAGE: "sqlite:pets.db",
        PETSTORE_API_KEY: E2E_KEY,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}`,
      },
    });
  });
  afterEach(async () => {
    await endPrograms();
    // In case the primary did not kill the worker.
    if (hung) killStopped(hung);
    removeFolder(cwd);
  });

  /** Asks over a connection of its own. */
  async function list(): Promise<number | undefined> {
    const sent = request(`${serving.origin}/v1/pets`, {
      agent: new Agent(),
      headers: { Authorization: `Bearer ${E2E_KEY}` },
      timeout: 5000,
    });
    sent.on("timeout", () => sent.destroy(new Error("no answer"))).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    return response.statusCode;
  }

  /** One of the two processes that write lines of requests. */
  function aWorker(): Promise<number> {
    return eventually(async () => {
      await list();
      const pids = new Set(
        [...serving.stdout.matchAll(/"pid":(\d+).*"msg":"request"/g)].map(([, pid]) => pid),
      );
      return pids.size === 2 ? Number([...pids][0]) : undefined;
    });
  }

  async function metrics(): Promise<string> {
    return (await fetch(`${serving.admin}/metrics`)).text();
  }

  it("is killed and replaced, and the other goes on serving", async () => {
    hung = await aWorker();
    process.kill(hung, "SIGSTOP");
    const answers = await Promise.allSettled(Array.from({ length: 20 }, list));
    expect(answers.filter(({ status }) => status === "rejected")).to.deep.equal([]);
    await serving.printed(/"worker died; it will be replaced"/);
    const lines = serving.stdout.split("\n").filter((line) => line.includes('"level":50'));
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0] as string)).to.include({
      worker: hung,
      reason: "it gave no sign of life for 30 s",
    });
    const text = await eventually(async () => {
      const text = await metrics();
      return text.includes("petstore_workers 2\n") ? text : undefined;
    });
    expect(text).to.include("petstore_worker_deaths_total 1\n");
    expect((await fetch(`${serving.admin}/readyz`)).status).to.equal(200);
    for (let asked = 0; asked < 10; asked++) expect(await list()).to.equal(200);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("is left alone if it is only busy", async () => {
    process.kill(await aWorker(), "SIGUSR2");
    // The worker answers the probe once it is no longer busy.
    expect((await fetch(`${serving.admin}/readyz`)).status).to.equal(200);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(await metrics())
      .to.include("petstore_worker_deaths_total 0\n")
      .and.include("petstore_workers 2\n");
    expect(serving.stdout).not.to.include("worker died");
  });
});

function killStopped(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The worker has ended.
  }
}
