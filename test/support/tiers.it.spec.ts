import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { makeFolder, removeFolder } from "./temporary-folder.js";

const run = promisify(execFile);

/** What a test of each tier must not do, and what it then reads. */
const PLANTED: readonly (readonly [suffix: string, source: string, message: RegExp])[] = [
  ["spec", 'require("node:net").createServer().listen(0)', /unit.* no socket/],
  ["spec", 'require("node:net").connect(1).on("error", () => {})', /unit.* no socket/],
  [
    "spec",
    'return fetch("http://127.0.0.1:59999").catch(({ cause }) => { throw cause; })',
    /unit.* no socket/,
  ],
  ["spec", 'require("node:child_process").spawn("true")', /unit.* no process/],
  ["spec", 'require("node:child_process").execFileSync("true")', /unit.* no process/],
  ["spec", "return new Promise((resolve) => setTimeout(resolve, 50))", /unit.* fires after 50 ms/],
  ["spec", 'return require("node:timers/promises").setTimeout(50)', /unit.* sleep of 50 ms/],
  ["it.spec", 'require("node:net").connect(27017, "127.0.0.1")', /it.* no MongoDB/],
  ["it.spec", 'require("node:child_process").spawnSync("/usr/bin/chromium")', /it.* no chromium/],
];

const ALLOWED = [
  ["spec", "clearTimeout(setTimeout(() => {}, 50)); return new Promise((resolve) => setTimeout(resolve, 1))"],
  ["it.spec", 'require("node:net").createServer().listen(0).close()'],
  ["it.spec", 'require("node:child_process").spawnSync("true")'],
  ["slow.spec", 'require("node:net").connect(27017, "127.0.0.1").on("error", () => {}).destroy()'],
  ["slow.spec", 'require("node:child_process").spawnSync("chromium-that-nobody-has")'],
] as const;

describe("The tier of a test", () => {
  let folder: string;
  before(() => {
    folder = makeFolder();
  });
  after(() => removeFolder(folder));

  /** Runs each source as the only test of a file of the tier, and gives their errors in order; undefined for none. */
  async function runTests(tests: readonly (readonly [suffix: string, source: string, ...unknown[]])[]) {
    const files = tests.map(([suffix, source], n) => {
      const file = join(folder, `${n}.${suffix}.js`);
      writeFileSync(file, `it("does", () => { ${source} });`);
      return file;
    });
    const options = ["--no-config", "--exit", "--reporter", "json"];
    const hook = join(import.meta.dirname, "tiers.js");
    const { stdout } = await run("node_modules/.bin/mocha", [...options, "--require", hook, ...files]).catch(
      (failed) => failed,
    );
    const { tests: ran } = JSON.parse(stdout) as { tests: { err: { message?: string } }[] };
    return ran.map(({ err }) => err.message);
  }

  it("fails a test that does what the tier forbids", async () => {
    const errors = await runTests(PLANTED);
    expect(errors).to.have.length(PLANTED.length);
    for (const [n, [, source, message]] of PLANTED.entries()) expect(errors[n], source).to.match(message);
  });

  it("lets a test do what the tier allows", async () => {
    expect(await runTests(ALLOWED)).to.deep.equal(ALLOWED.map(() => undefined));
  });
});
