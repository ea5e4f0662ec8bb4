import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { get, post } from "../support/client.js";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { API_KEY } from "../support/start-app.js";
import { PROGRAM, Program, startProgram } from "../support/start-program.js";

describe("The log of the program", () => {
  const folder = inEmptyFolder();

  it("has one line for each request, also if it is refused, and no secret", async () => {
    const program = await startProgram({ cwd: folder() });
    await post(program, '{"name":"Rex","categoryId":1}');
    await get(program, "/v1/pets", { key: "petstore_wrong" });
    const { stdout } = await program.stop();
    const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
    expect(requests).to.have.length(2);
    for (const [index, expected] of [
      { operation: "createPet", method: "POST", status: 201, key: "PETSTORE_API_KEY" },
      { operation: "none", method: "GET", status: 401, code: "invalid_credentials" },
    ].entries()) {
      expect(requests[index]).to.include(expected).and.include.keys("requestId", "client", "bytes", "ms");
    }
    expect(stdout).to.not.include(API_KEY).and.not.include("petstore_wrong");
  });

  it("is off at the level silent, except for the lines of the start", async () => {
    const program = await startProgram({
      cwd: folder(),
      env: { PETSTORE_LOG_LEVEL: "silent", PETSTORE_STORAGE: "memory:" },
    });
    await get(program, "/v1/pets");
    expect((await program.stop()).stdout).not.to.include("{");
  });

  it("does not end the service if its disk is full", async function () {
    if (!existsSync("/dev/full")) this.skip();
    const port = await freePort();
    const full = openSync("/dev/full", "w");
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_PORT: String(port) };
    const program = new Program({ cwd: folder(), env, output: full });
    closeSync(full);
    const ask = () => get({ origin: `http://127.0.0.1:${port}` }, "/v1/pets");
    await until(() => ask().then(Boolean, () => false));
    for (let asked = 0; asked < 5; asked++) {
      expect((await ask()).status).to.equal(200);
      await sleep(150);
    }
    const { code, stderr } = await program.stop();
    expect(code).to.equal(0);
    expect(stderr).to.match(/^petstore: the log cannot be written: ENOSPC.*\n$/);
  });

  it("is for people on a terminal", async function () {
    if (!existsSync("/usr/bin/script")) this.skip();
    // script(1) gives the program a terminal of its own.
    const child = spawn("script", ["-qec", `exec "${process.execPath}" "${PROGRAM}"`, "/dev/null"], {
      cwd: folder(),
      env: {
        PATH: process.env.PATH,
        TERM: "xterm-256color",
        INVOCATION_ID: "x",
        PETSTORE_PORT: "0",
        PETSTORE_ADMIN_PORT: "0",
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      let printed = "";
      child.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
      await until(() => printed.includes("  storage  "));
      expect(printed, "on a terminal the first key is shown").to.match(/the first API key/);
      // Control and C.
      child.stdin.write("\u0003");
      await once(child, "close");
      expect(printed).to.include("stopping").and.not.to.include('"level"');
    } finally {
      // The program ends with its terminal.
      child.kill();
    }
  });
});
