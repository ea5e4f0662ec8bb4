import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { eventually } from "../support/eventually.js";
import { leaveOut } from "../support/left-out.js";
import { endPrograms, PROGRAM, startProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

const SETTINGS = { PETSTORE_STORAGE: "memory:", PETSTORE_API_KEY: "petstore_test-key" };
const AUTHORIZATION = { Authorization: "Bearer petstore_test-key" };

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("log of the program", function () {
  this.timeout(20_000);
  let folder: string;
  let child: ChildProcess | undefined;

  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(async () => {
    await endPrograms();
    child?.kill("SIGKILL");
    removeFolder(folder);
  });

  it("begins with the addresses and the lines for operators, and has one line of JSON per request", async () => {
    const program = await startProgram({ cwd: folder, env: SETTINGS });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => fetch(`${program.origin}/v1/pets`, { headers: AUTHORIZATION })),
    );
    const { stdout } = await program.stop();
    const lines = stdout.trimEnd().split("\n");
    const listening = lines.findIndex((line) => /http:/.test(line));
    expect(lines.slice(listening, listening + 4)).to.deep.equal([
      `petstore listens on ${program.origin}`,
      `  documentation  ${program.origin}/docs`,
      `  admin port     ${program.admin}`,
      "  storage        memory:",
    ]);
    const logged = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    const requests = logged.filter(({ msg }) => msg === "request");
    expect(requests.map(({ requestId }) => requestId)).to.have.members(
      answers.map(({ headers }) => headers.get("x-request-id")),
    );
    expect(logged.at(-1)).to.include({ msg: "stopped" });
    expect(stdout.replace(/^Try it.*|^The first.*/gm, "")).not.to.match(/petstore_/);
  });

  it("is off at the level silent, except for the lines of the start", async () => {
    const program = await startProgram({ cwd: folder, env: { ...SETTINGS, PETSTORE_LOG_LEVEL: "silent" } });
    await fetch(`${program.origin}/v1/pets`, { headers: AUTHORIZATION });
    expect((await program.stop()).stdout).not.to.include("{");
  });

  it("has one whole line for each request if workers share a pipe that is read slowly", async () => {
    // A pipe as shells make them. Node would make a pair of sockets, which divides no write.
    const fifo = join(folder, "pipe");
    execFileSync("mkfifo", [fifo]);
    const copy = openSync(join(folder, "log"), "w");
    const reader = spawn("cat", [fifo], { stdio: ["ignore", copy, "inherit"] });
    closeSync(copy);
    const read = once(reader, "close");
    const log = () => readFileSync(join(folder, "log"), "utf8");
    const pipe = openSync(fifo, "w");
    child = spawn(process.execPath, [PROGRAM, "serve"], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        ...SETTINGS,
        PETSTORE_STORAGE: "sqlite:pets.db",
        PETSTORE_WORKERS: "4",
        PETSTORE_PORT: "0",
        PETSTORE_ADMIN_PORT: "0",
      },
      stdio: ["ignore", pipe, "inherit"],
    });
    closeSync(pipe);
    try {
      const origin = await eventually(() => /listens on (\S+)/.exec(log())?.[1]);
      reader.kill("SIGSTOP");
      const ids: string[] = [];
      while (ids.length < 4000) {
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => fetch(`${origin}/v1/pets`, { headers: AUTHORIZATION })),
        );
        for (const answer of answers) {
          await answer.body?.cancel();
          ids.push(String(answer.headers.get("x-request-id")));
        }
      }
      reader.kill("SIGCONT");
      child.kill();
      await read;
      const logged = log()
        .split("\n")
        .filter((line) => /requestId|\{/.test(line));
      const requests = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
      expect(requests.map(({ requestId }) => requestId).sort()).to.deep.equal(ids.sort());
    } finally {
      reader.kill("SIGKILL");
    }
  });

  it("lets the program end in time if nobody reads its stdout", async () => {
    const program = await startProgram({ cwd: folder, env: SETTINGS });
    program.child.stdout?.pause();
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 50 }, () => fetch(`${program.origin}/v1/pets`, { headers: AUTHORIZATION })),
      );
    }
    program.child.kill();
    const [code] = await Promise.race([once(program.child, "exit"), pause(10_000).then(() => ["late"])]);
    expect(code).not.to.equal("late");
    program.child.stdout?.resume();
  });

  it("does not end the service if its disk is full", async function () {
    if (!existsSync("/dev/full")) {
      leaveOut("the log on a full disk", "run the tests on a system with /dev/full");
      this.skip();
    }
    const port = await freePort();
    const full = openSync("/dev/full", "w");
    child = spawn(process.execPath, [PROGRAM, "serve"], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        PETSTORE_PORT: String(port),
        PETSTORE_ADMIN_PORT: "0",
        ...SETTINGS,
      },
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    const ask = () => fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: AUTHORIZATION });
    for (let tries = 0; tries < 200 && !(await ask().catch(() => false)); tries++) await pause(50);
    for (let asked = 0; asked < 5; asked++) {
      expect((await ask()).status).to.equal(200);
      // Longer than a line waits for others.
      await pause(120);
    }
    child.kill();
    const [code] = await once(child, "close");
    expect(code).to.equal(0);
    expect(stderr).to.match(/^petstore: the log cannot be written: ENOSPC/);
    expect(stderr.split("\n").length).to.be.lessThan(5);
  });

  it("is for people on a terminal, in colours unless NO_COLOR is set", async function () {
    if (!existsSync("/usr/bin/script")) {
      leaveOut("the log on a terminal", "install script");
      this.skip();
    }
    for (const [noColor, coloured] of [
      ["", true],
      ["1", false],
    ] as const) {
      // script(1) gives the program a terminal of its own.
      const output = await promisify(execFile)(
        "script",
        ["-qec", `timeout 3 ${process.execPath} ${PROGRAM} serve`, "/dev/null"],
        {
          cwd: folder,
          env: {
            PATH: process.env.PATH,
            TERM: "xterm-256color",
            ...(noColor && { NO_COLOR: noColor }),
            PETSTORE_PORT: "0",
            PETSTORE_ADMIN_PORT: "0",
            PETSTORE_STORAGE: "memory:",
          },
        },
      ).catch((error) => error);
      expect(output.stdout).to.include("stopping");
      expect(output.stdout).not.to.include('"level"');
      expect(output.stdout.includes("\u001b[")).to.equal(coloured);
    }
  });

  it("lets a process end even if nobody reads its log any more", async () => {
    const log = new URL("../../src/process/log.js", import.meta.url);
    const script = `
      import { openLog } from "${log}";
      const { logger } = await openLog("info");
      process.stdin.once("data", () => {
        for (let n = 0; n < 100; n++) logger.info("x".repeat(200));
        process.exit(3);
      });`;
    const ending = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    child = ending;
    const ended = once(ending, "exit");
    ending.stdout.destroy();
    ending.stdin.write("go");
    expect((await ended)[0]).to.equal(3);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
