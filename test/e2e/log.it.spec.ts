import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect } from "chai";
import { get } from "../support/client.js";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { PROGRAM, Program } from "../support/start-program.js";

describe("The log of the program", () => {
  const folder = inEmptyFolder();

  it("does not end the service if its disk is full", async function () {
    if (!existsSync("/dev/full")) this.skip();
    const port = await freePort();
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_PORT: String(port) };
    const through = ["sh", "-c", 'exec "$@" >/dev/full', "sh"];
    const program = new Program({ cwd: folder(), env, through });
    const ask = () => get({ origin: `http://127.0.0.1:${port}` }, "/v1/pets");
    await until(() => ask().then(Boolean, () => false));
    await until(() => program.stderr !== "");
    expect((await ask()).status).to.equal(200);
    const { code, stderr } = await program.stop();
    expect(code).to.equal(0);
    expect(stderr).to.match(/^petstore: the log cannot be written: ENOSPC.*\n$/);
  });

  it("is for people on a terminal, which also shows the first key", async function () {
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
      expect(printed).to.match(/the first API key/);
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
