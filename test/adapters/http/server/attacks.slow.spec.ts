import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { get } from "../../../support/client.js";
import { inEmptyFolder } from "../../../support/in-empty-folder.js";
import { endWithTest } from "../../../support/kept-connections.js";
import { head } from "../../../support/raw-http.js";
import { endPrograms, type Program, runProgram, startProgram } from "../../../support/start-program.js";

const PIECES = "1\r\nx\r\n".repeat(16_384);
const inPieces = (line: string) => `${line}\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${PIECES}`;

/** In milliseconds. On an idle machine an established client waits 500 at most; 2.0.0 let it wait 2000 to 60,000. */
const LONGEST = 2000;

/** In MB. On an idle machine it is below 60; 2.0.0 took 1500. */
const MOST_MEMORY = 120;

describe("One client that sends many small parts", () => {
  const folder = inEmptyFolder();
  afterEach(endPrograms);

  /** Keeps as many connections busy for four seconds, and gives the longest wait of another client for a list. */
  async function attack({ port }: Program, count: number, bytes: string, list: () => Promise<unknown>) {
    let goesOn = true;
    function open(): void {
      const socket = endWithTest(connect(port, "127.0.0.1"));
      socket.on("error", () => {}).on("close", () => goesOn && setTimeout(open, 10));
      socket.once("connect", () => socket.write(bytes)).on("data", () => socket.write(bytes));
    }
    for (let connection = 0; connection < count; connection++) open();
    let longest = 0;
    for (const end = performance.now() + 4000; performance.now() < end; ) {
      const begin = performance.now();
      await list();
      longest = Math.max(longest, performance.now() - begin);
      await sleep(20);
    }
    goesOn = false;
    await sleep(20);
    return longest;
  }

  for (const [what, count, bytes] of [
    ["chunks of a byte, without a key", 250, inPieces("POST /v1/pets HTTP/1.1")],
    ["chunks of a byte to what ignores a body", 100, inPieces("GET /openapi.json HTTP/1.1")],
    ["empty headers", 100, `GET /openapi.json HTTP/1.1\r\nHost: a\r\n${"a:\r\n".repeat(16_000)}\r\n`],
    ["ranges of Accept", 50, head("GET /v1/pets HTTP/1.1", `Accept: ${"a/b,".repeat(1000)}`)],
  ] as const) {
    it(`costs the others little: ${what} on ${count} connections`, async () => {
      const program = await startProgram({ cwd: folder(), env: { PETSTORE_STORAGE: "memory:" } });
      const list = async () => expect((await get(program, "/v1/pets")).status).to.equal(200);
      for (let warm = 0; warm < 200; warm++) await list();
      const memory = () =>
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${program.child.pid}/status`, "utf8"))?.[1]) / 1024;
      const before = memory();
      expect(await attack(program, count, bytes, list)).to.be.below(LONGEST);
      expect(memory() - before).to.be.below(MOST_MEMORY);
    });
  }

  it("leaves places to another key, though it lists as fast as it can on 1000 connections", async () => {
    const { stdout } = await runProgram({ cwd: folder(), args: ["keys", "add", "other"] });
    const [key = ""] = /petstore_[\w-]+/.exec(stdout) ?? [];
    const program = await startProgram({ cwd: folder() });
    const statuses: number[] = [];
    const list = async () => {
      if (statuses.length < 40) statuses.push((await get(program, "/v1/pets", { key, agent: false })).status);
    };
    await attack(program, 1000, head("GET /v1/pets HTTP/1.1").repeat(10), list);
    while (statuses.length < 5) await list();
    expect(statuses.filter((status) => status === 503)).to.have.length.below(3);
    expect(statuses).to.include(200);
  });
});
