import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { get } from "../support/client.js";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { leaveOut } from "../support/left-out.js";
import { PROGRAM, Program, startProgram } from "../support/start-program.js";

/** Opens a file that takes nothing. */
function openFull(test: Mocha.Context): number {
  if (!existsSync("/dev/full")) {
    leaveOut("the log on a full disk", "run the tests on a system with /dev/full");
    test.skip();
  }
  return openSync("/dev/full", "w");
}

describe("log of the program", () => {
  let child: ChildProcess | undefined;

  const folder = inEmptyFolder();
  afterEach(() => child?.kill("SIGKILL"));

  it("is off at the level silent, except for the lines of the start", async () => {
    const program = await startProgram({ cwd: folder(), env: { PETSTORE_LOG_LEVEL: "silent" } });
    await get(program, "/v1/pets");
    expect((await program.stop()).stdout).not.to.include("{");
  });

  it("does not end the service if its disk is full", async function () {
    const port = await freePort();
    const full = openFull(this);
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_PORT: String(port) };
    const program = new Program({ cwd: folder(), env, output: full });
    closeSync(full);
    const ask = () => get({ port }, "/v1/pets");
    await until(() => ask().then(Boolean, () => false));
    for (let asked = 0; asked < 5; asked++) {
      expect((await ask()).status).to.equal(200);
      // Longer than a line waits for others.
      await sleep(120);
    }
    const { code, stderr } = await program.stop();
    expect(code).to.equal(0);
    expect(stderr).to.match(/^petstore: the log cannot be written: ENOSPC/);
    expect(stderr.split("\n").length).to.be.lessThan(5);
  });

  it("does not end the service if standard error takes nothing either", async function () {
    const port = await freePort();
    const full = openFull(this);
    const env = {
      ...process.env,
      PETSTORE_STORAGE: "memory:",
      PETSTORE_PORT: String(port),
      PETSTORE_ADMIN_PORT: "0",
    };
    child = spawn(process.execPath, [PROGRAM, "serve"], {
      cwd: folder(),
      env,
      stdio: ["ignore", full, full],
    });
    closeSync(full);
    await until(() => get({ port }, "/openapi.json").then(Boolean, () => false));
    await sleep(300);
    expect((await get({ port }, "/openapi.json")).status).to.equal(200);
  });

  it("has its last lines, too, if its reader has stood still meanwhile", async () => {
    const source = `
      const { openLog } = await import("${new URL("process/log.js", pathToFileURL(PROGRAM))}");
      const logger = await openLog("info", (text) => text, process.env);
      for (let line = 1; line <= 10_000; line++) logger.info({ line }, "one of many");
      setTimeout(() => console.error("written"), 500);
      setInterval(() => {}, 1000);`;
    const evaluated = ["--input-type=module", "--eval", source];
    child = spawn(process.execPath, evaluated, { stdio: ["ignore", "pipe", "pipe"] });
    await once(child.stderr as Readable, "data");
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (part) => (text += part));
    const count = () => text.split("\n").length - 1;
    await until(() => count() >= 10_000);
    expect(count()).to.equal(10_000);
  });

  it("has no torn line if its reader stands still while the process ends", async () => {
    const source = `
      const { openLog } = await import("${new URL("process/log.js", pathToFileURL(PROGRAM))}");
      const logger = await openLog("info", (text) => text, process.env);
      for (let line = 1; line <= 3000; line++) logger.info({ line }, "one of many");
      setTimeout(() => { console.error("ends"); process.exit(); }, 300);`;
    child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    await once(child.stderr as Readable, "data");
    // Less than a process waits for its reader when it ends.
    await sleep(200);
    for (const line of (await text(child.stdout as Readable)).trimEnd().split("\n")) JSON.parse(line);
  });

  it("is for people on a terminal, in colours unless NO_COLOR is set", async function () {
    if (!existsSync("/usr/bin/script")) {
      leaveOut("the log on a terminal", "install script");
      this.skip();
    }
    async function run(noColor: object): Promise<string> {
      // script(1) gives the program a terminal of its own.
      const settings = { PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0", PETSTORE_STORAGE: "memory:" };
      child = spawn("script", ["-qec", `exec "${process.execPath}" "${PROGRAM}" serve`, "/dev/null"], {
        cwd: folder(),
        env: { PATH: process.env.PATH, TERM: "xterm-256color", ...settings, ...noColor },
        stdio: ["pipe", "pipe", "inherit"],
      });
      let printed = "";
      child.stdout?.setEncoding("utf8").on("data", (text) => (printed += text));
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
