import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { leaveOut } from "../support/left-out.js";
import { PROGRAM, startProgram } from "../support/start-program.js";

const SETTINGS = { PETSTORE_STORAGE: "memory:", PETSTORE_API_KEY: "petstore_test-key" };
const AUTHORIZATION = { Authorization: "Bearer petstore_test-key" };

describe("log of the program", () => {
  let child: ChildProcess | undefined;

  const folder = inEmptyFolder();
  afterEach(() => child?.kill("SIGKILL"));

  it("begins with the addresses and the lines for operators, and has one line of JSON per request", async () => {
    const program = await startProgram({ cwd: folder(), env: SETTINGS });
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
    const program = await startProgram({ cwd: folder(), env: { ...SETTINGS, PETSTORE_LOG_LEVEL: "silent" } });
    await fetch(`${program.origin}/v1/pets`, { headers: AUTHORIZATION });
    expect((await program.stop()).stdout).not.to.include("{");
  });

  it("does not end the service if its disk is full", async function () {
    if (!existsSync("/dev/full")) {
      leaveOut("the log on a full disk", "run the tests on a system with /dev/full");
      this.skip();
    }
    const port = await freePort();
    const full = openSync("/dev/full", "w");
    child = spawn(process.execPath, [PROGRAM, "serve"], {
      cwd: folder(),
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
    await until(() => ask().then(Boolean, () => false));
    for (let asked = 0; asked < 5; asked++) {
      expect((await ask()).status).to.equal(200);
      // Longer than a line waits for others.
      await sleep(120);
    }
    child.kill();
    const [code] = await once(child, "close");
    expect(code).to.equal(0);
    expect(stderr).to.match(/^petstore: the log cannot be written: ENOSPC/);
    expect(stderr.split("\n").length).to.be.lessThan(5);
  });

  it("has its last lines, too, if its reader has stood still meanwhile", async () => {
    const source = `
      const { openLog } = await import("${new URL("process/log.js", pathToFileURL(PROGRAM))}");
      const { logger } = await openLog("info", (text) => text);
      for (let line = 1; line <= 10_000; line++) logger.info({ line }, "one of many");
      setTimeout(() => console.error("written"), 500);
      setInterval(() => {}, 1000);`;
    child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    await once(child.stderr as Readable, "data");
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    const count = () => text.split("\n").length - 1;
    await until(() => count() >= 10_000);
    expect(count()).to.equal(10_000);
  });

  it("is for people on a terminal, in colours unless NO_COLOR is set", async function () {
    if (!existsSync("/usr/bin/script")) {
      leaveOut("the log on a terminal", "install script");
      this.skip();
    }
    async function run(noColor: object): Promise<string> {
      // script(1) gives the program a terminal of its own.
      child = spawn("script", ["-qec", `exec ${process.execPath} ${PROGRAM} serve`, "/dev/null"], {
        cwd: folder(),
        env: {
          PATH: process.env.PATH,
          TERM: "xterm-256color",
          PETSTORE_PORT: "0",
          PETSTORE_ADMIN_PORT: "0",
          PETSTORE_STORAGE: "memory:",
          ...noColor,
        },
        stdio: ["pipe", "pipe", "inherit"],
      });
      let printed = "";
      child.stdout?.setEncoding("utf8").on("data", (text) => {
        printed += text;
      });
      await until(() => printed.includes("  storage  "));
      // Control and C.
      child.stdin?.write("\u0003");
      await once(child, "close");
      expect(printed).to.include("stopping").and.not.to.include('"level"');
      return printed;
    }
    const coloured = await run({});
    const plain = await run({ NO_COLOR: "1" });
    expect(coloured).to.include("\u001b[");
    expect(plain).not.to.include("\u001b[");
  });
});
