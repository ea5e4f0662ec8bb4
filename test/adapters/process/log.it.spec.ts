import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { serializers } from "../../../src/adapters/process/log.js";
import { until } from "../../support/eventually.js";
import { makeFolder } from "../../support/in-empty-folder.js";

const withLog = (script: string) => `
  import { createLog, flushLog } from "${new URL("../../../src/adapters/process/log.js", import.meta.url)}";
  const log = await createLog("info", (text) => text);
  ${script}`;
const RUN = ["--input-type=module", "-e"];

describe("The log", () => {
  it("drops lines beyond a bound while nobody reads it, and counts them once somebody does", async () => {
    const lines = 100_000;
    const script = `
      for (let n = 0; n < ${lines}; n++) log.info({ requestId: "x".repeat(128) }, "request");
      console.error("logged");
      // Keeps the process alive, as servers do: at its exit a full pipe takes nothing more.
      setInterval(() => {}, 1000);
      await new Promise((resolve) => process.on("SIGTERM", resolve));
      await flushLog(log);
      process.exit();`;
    const child = spawn(process.execPath, [...RUN, withLog(script)]);
    const closed = once(child, "close");
    await once(child.stderr, "data");
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => (output += chunk));
    await until(() => output.includes('"lines":'));
    child.kill("SIGTERM");
    await closed;
    const written = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const requests = written.filter(({ msg }) => msg === "request").length;
    const [dropped, ...others] = written.filter(({ msg }) => msg !== "request");
    expect(others).to.deep.equal([]);
    expect(requests + dropped.lines).to.equal(lines);
    expect(requests * 200, "bytes kept").to.be.lessThan(16 * 1024 * 1024);
  });

  // The first line is being written when the second is logged. A process that is killed writes nothing more.
  const logAndDie = withLog(`
    log.info("x".repeat(3000));
    log.info("a line");
    while (!(await flushLog(log)));
    process.kill(process.pid, "SIGKILL");`);

  it("is flushed once a pipe holds it", () => {
    const { signal, stdout } = spawnSync(process.execPath, [...RUN, logAndDie]);
    expect(signal).to.equal("SIGKILL");
    expect(String(stdout)).to.include('"msg":"a line"');
  });

  it("is flushed once a file holds it", () => {
    const path = join(makeFolder(), "log");
    const command = ["-c", `exec "$0" "$@" > "${path}"`, process.execPath, ...RUN, logAndDie];
    expect(spawnSync("sh", command).signal).to.equal("SIGKILL");
    expect(readFileSync(path, "utf8")).to.include('"msg":"a line"');
  });

  it("is flushed once a terminal shows it", function () {
    if (!existsSync("/usr/bin/script")) this.skip();
    const run = `exec "${process.execPath}" ${RUN.join(" ")} "$SCRIPT"`;
    const env = { ...process.env, SCRIPT: logAndDie };
    const { status, stdout } = spawnSync("script", ["-qec", run, "/dev/null"], { env });
    expect(status).to.equal(128 + 9);
    expect(String(stdout)).to.include("a line").and.not.include('"msg"');
  });
});

describe("A log line", () => {
  const { err, msg } = serializers((text) => text.replaceAll("s3:cret", "***"));
  const throwing = Object.defineProperty(new Error("s3:cret"), "code", { get: () => expect.fail("s3:cret") });
  for (const [what, error, expected] of [
    ["a code that JSON cannot hold", Object.assign(new Error("x"), { code: 7n }), { code: "7" }],
    ["frozen", Object.freeze(new Error("s3:cret")), { type: "Error", message: "***" }],
    [
      "members of a driver",
      Object.assign(new RangeError("x"), { code: "EX", response: "s3:cret" }),
      { type: "RangeError", message: "x", code: "EX" },
    ],
    ["causes", new Error("a", { cause: new Error("s3:cret", { cause: 7 }) }), { message: "a: ***" }],
    ["getters that throw", throwing, "an error that cannot be read"],
    ["no prototype", Object.create(null), "an error that cannot be read"],
    ["another type", Symbol("s3:cret"), "Symbol(***)"],
  ] as const) {
    it(`shows an error without its secrets, and never throws: ${what}`, () => {
      const logged = err(error);
      if (typeof expected === "string") expect(logged).to.equal(expected);
      else expect(logged).to.include(expected);
      expect(JSON.stringify(logged)).not.to.include("s3:cret").and.not.to.include("response");
    });
  }

  it("shows an error with circular causes, and leaves it unchanged", () => {
    const circular = new Error("a");
    circular.cause = circular;
    const before = Reflect.ownKeys(circular);
    expect(err(circular)).to.include({ message: "a" });
    expect(Reflect.ownKeys(circular)).to.deep.equal(before);
  });

  it("shows a message without its secrets, and ends a long one before a URL that it would cut", () => {
    expect(msg("at s3:cret")).to.equal("at ***");
    const long = "x".repeat(9_990);
    expect(msg(`${long} at s3:cret`)).to.equal(`${long} at `);
    expect(msg(`${long}${long}`)).to.have.length(10_000);
  });
});
