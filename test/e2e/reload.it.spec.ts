import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { head, RawConnection } from "../support/raw-http.js";
import { type Program, startProgram } from "../support/start-program.js";

/** The primary gives up the worker that removes the flag once there is a file "late", in place of after 60 s, and others as ever. */
const GIVING_UP = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
  import cluster from "node:cluster";
  import { existsSync } from "node:fs";
  const { setTimeout } = globalThis;
  if (cluster.isPrimary) {
    globalThis.setTimeout = (task, time, ...rest) =>
      time === 60_000 && existsSync("flag")
        ? setInterval(() => existsSync("late") && task(), 50)
        : setTimeout(task, time, ...rest);
  }
`)}`,
};

describe("SIGHUP", () => {
  let flag: string;

  const cwd = inEmptyFolder();
  beforeEach(() => {
    flag = join(cwd(), "flag");
  });

  /** Starts the program on a storage whose opening runs `whenFlagged` in the one worker that finds the flag. */
  async function start(workers: string, whileLoaded: string, whenFlagged: string, more = {}) {
    const open = `open: async () => {
      if (process.send && existsSync(${JSON.stringify(flag)})) {
        rmSync(${JSON.stringify(flag)});
        ${whenFlagged}
      }
      return storageOf(new Pets());
    },`;
    const source = `import { existsSync, rmSync } from "node:fs";\n${whileLoaded}\n${outsideStorage(open)}`;
    const PETSTORE_STORAGE_ADAPTERS = writeModule(cwd(), "acme.mjs", source);
    const storage = { PETSTORE_STORAGE: "acme:pets", PETSTORE_STORAGE_ADAPTERS };
    return startProgram({ cwd: cwd(), env: { ...storage, PETSTORE_WORKERS: workers, ...more } });
  }

  const count = ({ stdout }: Program, message: string) => stdout.split(`"msg":"${message}"`).length - 1;
  const replaced = (serving: Program, times: number) =>
    until(() => count(serving, "workers replaced") === times);

  const duringStart = `if (!process.send) process.kill(process.pid, "SIGHUP"); await new Promise(setImmediate);`;

  for (const [workers, replacements, what] of [
    ["1", 0, "does not end the program"],
    ["2", 1, "replaces the workers once they serve"],
  ] as const) {
    it(`during the start ${what}, with PETSTORE_WORKERS=${workers}`, async () => {
      const serving = await start(workers, duringStart, "");
      await replaced(serving, replacements);
      expect(await serving.readiness()).to.equal(200);
      expect(await serving.stop()).to.include({ code: 0 });
    });
  }

  it("many times replaces the workers twice: at once, and once more for all later signals", async () => {
    const go = join(cwd(), "go");
    const whenFlagged = `while (!existsSync(${JSON.stringify(go)})) await new Promise((go) => setTimeout(go, 20));`;
    const serving = await start("2", "", whenFlagged);
    writeFileSync(flag, "");
    for (let sent = 0; sent < 10; sent++) {
      serving.child.kill("SIGHUP");
      await sleep(20);
    }
    await until(() => !existsSync(flag));
    writeFileSync(go, "");
    await replaced(serving, 2);
    await sleep(1000);
    expect(count(serving, "replacing workers")).to.equal(2);
  });

  it("does not keep a later stop from its exit code, though an old worker still waits for its clients", async () => {
    const serving = await start("2", "", "");
    const connections = await Promise.all(Array.from({ length: 8 }, () => RawConnection.open(serving.port)));
    for (const connection of connections) {
      expect((await connection.send(head("GET /v1/pets HTTP/1.1")).answer()).status).to.equal(200);
    }
    serving.child.kill("SIGHUP");
    await until(() => serving.workers.length === 3);
    await sleep(1500);
    expect(await serving.stop()).to.include({ code: 0 });
    expect(count(serving, "stopped")).to.equal(1);
  });

  it("lets a stop end a worker that does not listen yet, and complains of no worker", async () => {
    const serving = await start("2", "", "await new Promise(() => {});");
    writeFileSync(flag, "");
    serving.child.kill("SIGHUP");
    await until(() => !existsSync(flag));
    expect(await serving.stop()).to.include({ code: 0 });
    expect(serving.stdout).to.include('"msg":"replacing workers"').and.not.include('"level":50');
  });

  for (const [what, hang] of [
    ["stands still before it listens", 'process.kill(process.pid, "SIGSTOP");'],
    ["waits for ever before it listens", "await new Promise(() => {});"],
  ] as const) {
    it(`gives up a worker that ${what}, and meanwhile the others are watched, counted, asked and replaced`, async () => {
      const serving = await start("2", "", hang, GIVING_UP);
      writeFileSync(flag, "");
      serving.child.kill("SIGHUP");
      await until(() => !existsSync(flag));
      expect(await serving.metric("petstore_workers ")).to.equal(2);
      expect(await serving.readiness()).to.equal(200);
      const [, neighbour] = serving.workers;
      process.kill(neighbour as number, "SIGKILL");
      await serving.printed(/"worker died; it will be replaced"/);
      await until(async () => (await serving.metric("petstore_workers ")) === 2);
      writeFileSync(join(cwd(), "late"), "");
      const told = /"msg":"workers not replaced, since a new one does not start; the old ones go on"/;
      await serving.printed(told);
      expect(serving.stdout).to.match(/it did not listen within 60 s/);
      serving.child.kill("SIGHUP");
      await replaced(serving, 1);
      expect(await serving.metric("petstore_workers ")).to.equal(2);
    });
  }
});
