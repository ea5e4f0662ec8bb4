import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { serializeError } from "../../../src/adapters/process/log.js";

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

  const redact = (text: string) => text.replaceAll("s3cret", "***");
  const throwing = Object.defineProperty(new Error("s3cret"), "code", {
    get() {
      throw new Error("s3cret");
    },
  });
  for (const [what, error, expected] of [
    ["a code that JSON cannot hold", Object.assign(new Error("x"), { code: 7n }), { code: "7" }],
    ["a frozen error", Object.freeze(new Error("s3cret")), { type: "Error", message: "***" }],
    [
      "an error with a code",
      Object.assign(new RangeError("x"), { code: "EX", response: "s3cret" }),
      { type: "RangeError", message: "x", code: "EX" },
    ],
    ["causes", new Error("a", { cause: new Error("s3cret", { cause: 7 }) }), { message: "a: ***" }],
    ["getters that throw", throwing, "an error that cannot be read"],
    ["an object without a prototype", Object.create(null), "an error that cannot be read"],
    ["null", null, "null"],
    ["a string", "s3cret", "***"],
    ["a symbol", Symbol("s3cret"), "Symbol(***)"],
  ] as const) {
    it(`takes ${what} without its secrets`, () => {
      const logged = serializeError(error, redact);
      if (typeof expected === "string") expect(logged).to.equal(expected);
      else expect(logged).to.include(expected);
      expect(JSON.stringify(logged)).not.to.include("s3cret").and.not.to.include("response");
    });
  }

  it("shortens a huge error, ends circular causes, and leaves the error as it was", () => {
    const huge = new Error("x".repeat(1e6));
    huge.cause = huge;
    const before = Reflect.ownKeys(huge);
    expect(JSON.stringify(serializeError(huge, redact)).length).to.be.lessThan(50_000);
    expect(Reflect.ownKeys(huge)).to.deep.equal(before);
  });
});
