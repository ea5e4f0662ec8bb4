import { once } from "node:events";
import { utimesSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { E2E_KEY, petsClient } from "../support/pets-client.js";
import { endPrograms, type Program, startProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

const HEAD = `Host: petstore\r\nAuthorization: Bearer ${E2E_KEY}\r\n`;
const BODY = '{"name":"Rex","categoryId":9223372036854775807}';
const UPLOAD_HEAD = `POST /v1/pets HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;

describe("The program, told to stop", function () {
  this.timeout(30_000);
  let cwd: string;
  let program: Program;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    cwd = makeFolder();
    program = await startProgram({ cwd, env: { PETSTORE_API_KEY: E2E_KEY } });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await endPrograms();
    removeFolder(cwd);
  });

  /** Opens a connection, writes to it, and gives the program time to read. */
  async function send(text: string): Promise<{ socket: Socket; answer: Promise<string> }> {
    const socket = connect(program.port, "127.0.0.1");
    sockets.push(socket);
    let received = "";
    socket.setEncoding("utf8").on("data", (part) => {
      received += part;
    });
    socket.on("error", () => {});
    const answer = once(socket, "close").then(() => received);
    await once(socket, "connect");
    socket.write(text);
    await sleep(200);
    return { socket, answer };
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`finishes an upload in flight at ${signal}, and exits with 0`, async () => {
      const { socket, answer } = await send(UPLOAD_HEAD + BODY.slice(0, 10));
      const ended = program.stop(signal);
      await sleep(300);
      expect(program.child.exitCode, "still running").to.equal(null);
      socket.write(BODY.slice(10));

      expect(await answer).to.match(/^HTTP\/1\.1 201 Created\r\n.*\r\nConnection: close\r\n.*"id":1,/s);
      expect(await ended).to.include({ code: 0, signal: null, stderr: "" });
      const again = await startProgram({ cwd, env: { PETSTORE_API_KEY: E2E_KEY } });
      expect(await petsClient(again.origin).all()).to.deep.equal([
        '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}',
      ]);
    });
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`fails no request of clients under load that honour Connection: close, on ${signal}`, async () => {
      let answered = 0;
      const failed: string[] = [];
      async function client(): Promise<void> {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let asked = 0; asked < 100_000; asked++) {
          try {
            const { statusCode, headers } = await get(agent);
            if (statusCode === 200) answered++;
            else failed.push(String(statusCode));
            if (headers.connection === "close") return;
          } catch (error) {
            failed.push(String(error));
            return;
          }
          // At any moment some connections are idle, for up to a tenth of a second.
          if (asked % 50 === 0) await sleep(Math.random() * 100);
        }
        throw new Error("never told to close");
      }
      const clients = Array.from({ length: 32 }, client);
      await sleep(500);
      const ended = program.stop(signal);
      await Promise.all(clients);
      expect(failed).to.deep.equal([]);
      expect(answered).to.be.greaterThan(32);
      expect(await ended).to.include({ code: 0, signal: null, stderr: "" });
    });
  }

  /** Asks once over the agent's connections, without a second try. */
  async function get(agent: Agent): Promise<IncomingMessage> {
    const headers = { Authorization: `Bearer ${E2E_KEY}` };
    const sent = request(`${program.origin}/v1/pets`, { agent, headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
    return response;
  }

  it("answers a request that comes over an idle connection, and closes the connection", async () => {
    const agent = new Agent({ keepAlive: true });
    await get(agent);
    const ended = program.stop();
    await program.printed(/"stopping"/);
    expect((await get(agent)).headers.connection).to.equal("close");
    expect((await ended).code).to.equal(0);
  });

  it("is alive and not ready while it waits for a request in flight", async () => {
    const { socket } = await send(UPLOAD_HEAD);
    const ended = program.stop();
    await program.printed(/"stopping"/);
    const readyz = await fetch(`${program.admin}/readyz`);
    expect(readyz.status).to.equal(503);
    expect(await readyz.json()).to.include({ code: "shutting_down", status: 503 });
    expect((await fetch(`${program.admin}/livez`)).status).to.equal(200);
    socket.write(BODY);
    expect((await ended).code).to.equal(0);
  });

  it("takes no new connection while it waits for a request in flight", async () => {
    const { socket, answer } = await send(UPLOAD_HEAD);
    const ended = program.stop();
    await sleep(200);
    const refused = connect(program.port, "127.0.0.1");
    const [error] = await once(refused, "error");
    expect(error.code).to.equal("ECONNREFUSED");
    socket.write(BODY);
    await answer;
    expect((await ended).code).to.equal(0);
  });

  it("closes idle connections soon: one between two requests, and one without any", async () => {
    const idle = await send(`GET /v1/pets HTTP/1.1\r\n${HEAD}\r\n`);
    const silent = await send("");
    const start = Date.now();
    expect(await program.stop()).to.include({ code: 0, signal: null });
    expect(Date.now() - start).to.be.lessThan(5000);
    expect(await idle.answer).to.match(/^HTTP\/1\.1 200 OK\r\n.*\[\]$/s);
    expect(await silent.answer).to.equal("");
  });

  it("closes a connection with its last answer, even if that has no body", async () => {
    const { socket, answer } = await send("OPTIONS /v1/pets HTTP/1.1\r\n");
    const ended = program.stop();
    await sleep(200);
    socket.write(`${HEAD}\r\n`);
    expect(await answer).to.match(/^HTTP\/1\.1 204 No Content\r\n.*Connection: close\r\n/s);
    expect((await ended).code).to.equal(0);
  });

  it("cuts off a request that does not end in PETSTORE_STOP_TIMEOUT, says so, and exits with 1", async () => {
    const env = { PETSTORE_API_KEY: E2E_KEY, PETSTORE_STOP_TIMEOUT: "1" };
    program = await startProgram({ cwd, env });
    await send(UPLOAD_HEAD);
    const { code, stdout } = await program.stop();
    expect(code).to.equal(1);
    expect(stdout).to.include("stopped with requests in flight");
  });

  it("counts a signal that is delivered twice as one", async () => {
    const { socket, answer } = await send(UPLOAD_HEAD);
    program.child.kill("SIGTERM");
    // The kernel would merge two signals that wait.
    await sleep(20);
    const ended = program.stop("SIGTERM");
    await sleep(300);
    socket.write(BODY);
    expect(await answer).to.match(/^HTTP\/1\.1 201 /s);
    expect(await ended).to.include({ code: 0, signal: null });
  });

  it("exits with 0 even if a call to the system is under way at its end", async () => {
    const source = `
      import { stat } from "node:fs";
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (task, time, ...rest) =>
        setTimeout((...given) => { if (time === 500) stat("/", () => {}); task(...given); }, time, ...rest);
      // The interval keeps the process until the end is forced.
      setInterval(() => {}, 1000);
    `;
    const preload = `--import=data:text/javascript,${encodeURIComponent(source)}`;
    program = await startProgram({ cwd, env: { PETSTORE_API_KEY: E2E_KEY, NODE_OPTIONS: preload } });
    expect(await program.stop()).to.include({ code: 0, signal: null });
  });

  it("ends at once at a second signal", async () => {
    await send(UPLOAD_HEAD);
    program.child.kill("SIGTERM");
    await sleep(500);
    const start = Date.now();
    expect(await program.stop("SIGINT")).to.include({ code: null, signal: "SIGINT" });
    expect(Date.now() - start).to.be.lessThan(5000);
  });

  it("goes on serving if nobody reads its output any more, and stops as usual", async () => {
    program.child.stdout?.destroy();
    program.child.stderr?.destroy();
    // The program looks for a change of the keys file every half second, and logs it.
    const keysFile = join(cwd, "data", "keys.json");
    utimesSync(keysFile, 0, 0);
    await sleep(1500);
    expect((await petsClient(program.origin).create(BODY)).status).to.equal(201);
    expect(await program.stop()).to.include({ code: 0, signal: null });
  });
});
