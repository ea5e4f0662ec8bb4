import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { makeFolder } from "../../support/in-empty-folder.js";
import { runScript } from "../../support/run-script.js";

const LOG = `
  import { createLog, flushLog } from "SRC/adapters/process/log.js";
  const log = await createLog("info", (text) => text.replaceAll("s3cret", "***"));`;

describe("The log", () => {
  it("drops lines beyond a bound while nobody reads it, and says how many once it can", async () => {
    const lines = 100_000;
    const script = `${LOG}
      for (let n = 0; n < ${lines}; n++) log.info({ requestId: "x".repeat(128) }, "request");
      console.error("logged");
      await new Promise((resolve) => process.on("SIGTERM", resolve));
      await flushLog(log);
      process.exit();`.replace("SRC", new URL("../../../src", import.meta.url).href);
    const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
    await once(child.stderr, "data");
    const output = text(child.stdout);
    let reported = false;
    child.stdout.on("data", (chunk) => {
      reported ||= String(chunk).includes('"lines":');
    });
    while (!reported) await sleep(20);
    child.kill("SIGTERM");
    const written = (await output)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const requests = written.filter(({ msg }) => msg === "request").length;
    const [dropped, ...others] = written.filter(({ msg }) => msg !== "request");
    expect(others).to.deep.equal([]);
    expect(requests + dropped.lines).to.equal(lines);
    expect(requests * 200, "bytes kept").to.be.lessThan(16 * 1024 * 1024);
  });

  const ERRORS: Record<string, [code: string, expected: object | string]> = {
    "a frozen error": ['Object.freeze(new Error("s3cret"))', { type: "Error", message: "***" }],
    "an error with a code": [
      'Object.assign(new RangeError("x"), { code: "EX", response: "s3cret" })',
      { type: "RangeError", message: "x", code: "EX" },
    ],
    "causes with secrets": [
      'new Error("a", { cause: new Error("s3cret", { cause: 7 }) })',
      { type: "Error", message: "a: ***" },
    ],
    "getters that throw": [
      'Object.defineProperties(new Error("a"), Object.fromEntries(["code", "stack", "cause", "constructor"].map((name) => [name, { get() { throw 1; } }])))',
      { message: "a" },
    ],
    "a message that is not a string": ["Object.assign(new Error(), { message: Object.create(null) })", {}],
    null: ["null", "null"],
    "a string": ['"s3cret"', "***"],
    "an object without a prototype": ["Object.create(null)", "(unreadable)"],
    "a symbol": ['Symbol("s3cret")', "Symbol(***)"],
  };
  for (const [what, [code, expected]] of Object.entries(ERRORS)) {
    it(`takes ${what} as it is, without its secrets`, async () => {
      const { stdout, ended } = await runScript(
        `${LOG} const err = ${code}; log.error({ err }, "failed s3cret"); process.exit();`,
        makeFolder(),
      );
      const { err, msg } = JSON.parse(stdout);
      expect(ended).to.equal(0);
      expect(msg).to.equal("failed ***");
      if (typeof expected === "string") expect(err).to.equal(expected);
      else expect(err).to.include(expected);
      expect(stdout).not.to.include("s3cret").and.not.to.include("response");
    });
  }

  it("shortens a huge error, ends circular causes, and leaves the error as it was", async () => {
    const { stdout } = await runScript(
      `${LOG}
        const huge = new Error("x".repeat(1e7));
        huge.cause = huge;
        const before = Reflect.ownKeys(huge).join();
        log.error({ err: huge }, "failed");
        log.info({ isUnchanged: Reflect.ownKeys(huge).join() === before }, "after");
        process.exit();`,
      makeFolder(),
    );
    expect(stdout.length).to.be.lessThan(50_000);
    expect(stdout).to.include('"isUnchanged":true');
  });
});
