import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { makeFolder } from "../temporary-folder.js";

// Tests that leave something behind, for leftovers.it.spec.ts. The processes and threads end by themselves.

const listening = createServer();

describe("a file of tests", () => {
  it("timer", () => void setTimeout(() => {}, 50));
  it("interval", () => void setInterval(() => {}, 10).unref());
  it("sleep", () => void sleep(50));
  it("server", (done) => void createServer().unref().listen(0, "127.0.0.1", done));
  it("socket", (done) =>
    void connect((listening.address() as { port: number }).port, "127.0.0.1", done).unref());
  it("child process", () =>
    void spawn(process.execPath, ["-e", "setTimeout(() => {}, 5000)"], { stdio: "ignore" }));
  it("thread", () => void new Worker("setTimeout(() => {}, 5000)", { eval: true }));
  it("variable", () => {
    process.env.PLANTED = "1";
  });
  it("file", () => writeFileSync(join(makeFolder(), "../planted"), ""));
  it("nothing", async () => {
    writeFileSync(join(makeFolder(), "file"), "");
    clearTimeout(setTimeout(() => {}, 1000));
    await sleep(5);
  });
  before((done) => void listening.listen(0, "127.0.0.1", done));
  after(() => void listening.close());
});

describe("a suite", () => {
  before(() => void setInterval(() => {}, 10).unref());
  it("runs", () => {});
});
