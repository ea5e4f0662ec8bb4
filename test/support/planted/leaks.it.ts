import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { makeFolder } from "../temporary-folder.js";

// Tests that leave something behind, for leftovers.it.spec.ts. The processes and threads end by themselves.

const LEAKS: Readonly<Record<string, () => unknown>> = {
  timer: () => setTimeout(() => {}, 10_000),
  server: () => createServer().listen(0, "127.0.0.1"),
  "child process": () => spawn(process.execPath, ["-e", "setTimeout(() => {}, 10_000)"], { stdio: "ignore" }),
  thread: () => new Worker("setTimeout(() => {}, 10_000)", { eval: true }),
};
for (const [name, leak] of Object.entries(LEAKS)) describe(name, () => it("leaks", () => void leak()));

describe("a test", () => {
  it("variable", () => {
    process.env.PLANTED = "1";
  });
  it("file", () => writeFileSync(join(makeFolder(), "../planted"), ""));
  it("nothing", async () => {
    writeFileSync(join(makeFolder(), "file"), "");
    clearTimeout(setTimeout(() => {}, 1000));
    await sleep(5);
  });
});
