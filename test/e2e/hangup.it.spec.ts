import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { PROGRAM, startProgram } from "../support/start-program.js";
import { needTools } from "../support/tool.js";

describe("SIGHUP", () => {
  const cwd = inEmptyFolder();

  it("does nothing but a line of the log, also amid the start", async () => {
    const hangup = `process.kill(process.pid, "SIGHUP"); await new Promise(setImmediate);`;
    const path = writeModule(cwd(), "acme.mjs", `${hangup}\n${outsideStorage("shared: true")}`);
    const env = { PETSTORE_STORAGE: "acme:pets", PETSTORE_STORAGE_ADAPTERS: path };
    const program = await startProgram({ cwd: cwd(), env });
    await program.printed(/"SIGHUP ignored/);
    program.child.kill("SIGHUP");
    await program.printed(/SIGHUP ignored.*\n(?:.*\n)*.*SIGHUP ignored/);
    expect(await program.readiness()).to.equal(200);
    expect(await program.stop()).to.include({ code: 0 });
  });

  describe("of a terminal", () => {
    needTools("a terminal that closes", "python3");

    /**
     * Starts the program on a terminal, but with this standard output, and closes the terminal at the end of standard input.
     * It does not look at the exit code: Node before 22.16 aborts at its own end if its terminal is gone (nodejs/node#51519).
     */
    const TERMINAL = `
import os, pty, sys
output = os.dup(1)
pid, terminal = pty.fork()
if pid == 0:
    os.dup2(output, 1)
    os.execv(sys.argv[1], sys.argv[1:])
sys.stdin.read()
os.close(terminal)
os.waitpid(pid, 0)
`;

    it("stops the service", async () => {
      const env = { PATH: process.env.PATH, PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0" };
      const args = ["-c", TERMINAL, process.execPath, PROGRAM];
      const child = spawn("python3", args, { cwd: cwd(), env, stdio: ["pipe", "pipe", "inherit"] });
      let printed = "";
      child.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
      await until(() => /^ +storage /m.test(printed));
      child.stdin.end();
      await once(child, "close");
      expect(printed).to.match(/"signal":"SIGHUP","msg":"stopping"(?:.*\n)*.*"msg":"stopped"/);
    });
  });
});
