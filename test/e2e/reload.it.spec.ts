import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { eventually } from "../support/eventually.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { E2E_KEY } from "../support/pets-client.js";
import { head, RawConnection } from "../support/raw-http.js";
import { endPrograms, type Program, startProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

/** The primary's watch runs ten times as fast: 30 s of silence are 3, and the 60 s that a start may take are 6. */
const FASTER = `
  import cluster from "node:cluster";
  const { setInterval, setTimeout } = globalThis;
  if (cluster.isPrimary) {
    globalThis.setInterval = (task, time) => setInterval(task, time / 10);
    globalThis.setTimeout = (task, time, ...rest) => setTimeout(task, time === 60_000 ? 6000 : time, ...rest);
  }
`;

describe("SIGHUP", function () {
  this.timeout(60_000);
  let cwd: string;
  let flag: string;

  beforeEach(() => {
    cwd = makeFolder();
    flag = join(cwd, "flag");
  });
  afterEach(async () => {
    await endPrograms();
    removeFolder(cwd);
  });

  /** Starts the program on a storage whose opening runs `whenFlagged` in the one worker that finds the flag. */
  async function start(workers: string, whileLoaded: string, whenFlagged: string): Promise<Program> {
    const open = `open: async () => {
      if (process.send && existsSync(${JSON.stringify(flag)})) {
        rmSync(${JSON.stringify(flag)});
        ${whenFlagged}
      }
      return new MemoryPetRepository();
    },`;
    const source = `import { existsSync, rmSync } from "node:fs";\n${whileLoaded}\n${outsideStorage(open)}`;
    return startProgram({
      cwd,
      env: {
        PETSTORE_STORAGE: "acme:pets",
        PETSTORE_STORAGE_ADAPTERS: writeModule(cwd, "acme.mjs", source),
        PETSTORE_API_KEY: E2E_KEY,
        PETSTORE_WORKERS: workers,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FASTER)}`,
      },
    });
  }

  const count = ({ stdout }: Program, message: string) => stdout.split(`"msg":"${message}"`).length - 1;
  const replaced = (serving: Program, times: number) =>
    eventually(() => count(serving, "workers replaced") === times || undefined, 20_000);

  async function readWorkers({ admin }: Program): Promise<number> {
    const text = await (await fetch(`${admin}/metrics`)).text();
    return Number(/^petstore_workers (\d+)$/m.exec(text)?.[1]);
  }

  const isReady = async ({ admin }: Program) => (await fetch(`${admin}/readyz`)).status === 200;

  /** Fails if the answer takes as long as the primary waits for a worker in vain. */
  async function soon<Result>(question: Promise<Result>): Promise<Result> {
    const start = performance.now();
    const result = await question;
    expect(performance.now() - start, "ms to the answer").to.be.lessThan(2500);
    return result;
  }

  /** The worker processes, the oldest first. */
  function childrenOf({ child: { pid } }: Program): number[] {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  }

  const duringStart = `if (!process.send) process.kill(process.pid, "SIGHUP"); await new Promise(setImmediate);`;

  it("during the start does not end the program", async () => {
    const serving = await start("1", duringStart, "");
    expect((await fetch(`${serving.admin}/readyz`)).status).to.equal(200);
    expect(await serving.stop()).to.include({ code: 0 });
  });

  it("during the start replaces the workers once they serve", async () => {
    const serving = await start("2", duringStart, "");
    await replaced(serving, 1);
    expect(await serving.stop()).to.include({ code: 0 });
  });

  it("many times replaces the workers twice: at once, and once more for all later signals", async () => {
    const serving = await start("2", "", "");
    for (let sent = 0; sent < 10; sent++) {
      serving.child.kill("SIGHUP");
      await sleep(20);
    }
    await replaced(serving, 2);
    await sleep(1000);
    expect(count(serving, "replacing workers")).to.equal(2);
  });

  /** Opens connections, sends a request over each, and SIGHUP. Resolves a moment before the first worker is replaced. */
  async function replaceWithConnections(serving: Program): Promise<RawConnection[]> {
    const connections = await Promise.all(Array.from({ length: 8 }, () => RawConnection.open(serving.port)));
    expect(await askOver(connections)).to.deep.equal(Array(8).fill(401));
    serving.child.kill("SIGHUP");
    await eventually(() => childrenOf(serving).length === 3 || undefined, 20_000);
    return connections;
  }

  function askOver(connections: readonly RawConnection[]): Promise<number[]> {
    const request = head("GET /v1/pets HTTP/1.1");
    return Promise.all(
      connections.map(async (connection) => (await connection.send(request).answer()).status),
    );
  }

  it("does not keep a later stop from its exit code, though an old worker still waits for its clients", async () => {
    const serving = await start("2", "", "");
    await replaceWithConnections(serving);
    await sleep(1500);
    expect(await serving.stop()).to.include({ code: 0 });
    expect(count(serving, "stopped")).to.equal(1);
  });

  it("lets a stop end a worker that does not listen yet, and complains of no worker", async () => {
    const serving = await start("2", "", "await new Promise(() => {});");
    writeFileSync(flag, "");
    serving.child.kill("SIGHUP");
    await eventually(() => !existsSync(flag) || undefined, 20_000);
    expect(await serving.stop()).to.include({ code: 0 });
    expect(serving.stdout).to.include('"msg":"replacing workers"').and.not.include('"level":50');
  });

  for (const [what, hang] of [
    ["stands still before it listens", 'process.kill(process.pid, "SIGSTOP");'],
    ["waits for ever before it listens", "await new Promise(() => {});"],
  ] as const) {
    it(`gives up a worker that ${what}, and meanwhile the others are watched, counted, asked and replaced`, async () => {
      const serving = await start("2", "", hang);
      writeFileSync(flag, "");
      serving.child.kill("SIGHUP");
      await eventually(() => !existsSync(flag) || undefined, 20_000);
      expect(await soon(readWorkers(serving))).to.equal(2);
      expect(await soon(isReady(serving))).to.equal(true);
      const [, neighbour] = childrenOf(serving);
      process.kill(neighbour as number, "SIGKILL");
      await serving.printed(/"worker died; it will be replaced"/);
      await eventually(async () => (await readWorkers(serving)) === 2 || undefined, 20_000);
      await serving.printed(
        /"msg":"workers not replaced, since a new one does not start; the old ones go on"/,
      );
      expect(serving.stdout).to.match(/it (gave no sign of life for 30|did not listen within 60) s/);
      serving.child.kill("SIGHUP");
      await replaced(serving, 1);
      expect(await readWorkers(serving)).to.equal(2);
    });
  }
});
