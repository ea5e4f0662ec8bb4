import { once } from "node:events";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { E2E_KEY, listOver, petsClient } from "../support/pets-client.js";
import { type Program, startProgram } from "../support/start-program.js";

const HEAD = `Host: petstore\r\nAuthorization: Bearer ${E2E_KEY}\r\n`;
const BODY = '{"name":"Rex","categoryId":9223372036854775807}';
/** The program answers 100 once it has read this. */
const UPLOAD_HEAD = `POST /v1/pets HTTP/1.1\r\n${HEAD}Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;

describe("The program, told to stop", () => {
  let program: Program;
  const sockets: Socket[] = [];
  const cwd = inEmptyFolder();

  beforeEach(async () => {
    program = await startProgram({ cwd: cwd(), env: { PETSTORE_API_KEY: E2E_KEY } });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** Opens a connection and writes to it. Resolves once the program begins to answer, and so has read the text. */
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
    if (text) await until(() => received !== "");
    return { socket, answer };
  }

  it("finishes an upload in flight at SIGTERM, and exits with 0", async () => {
    const { socket, answer } = await send(UPLOAD_HEAD + BODY.slice(0, 10));
    const ended = program.stop();
    await sleep(300);
    expect(program.child.exitCode, "still running").to.equal(null);
    socket.write(BODY.slice(10));

    expect(await answer).to.match(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n.*\r\nConnection: close\r\n.*"id":1,/s,
    );
    expect(await ended).to.include({ code: 0, signal: null, stderr: "" });
    const again = await startProgram({ cwd: cwd(), env: { PETSTORE_API_KEY: E2E_KEY } });
    expect(await petsClient(again.origin).all()).to.deep.equal([
      '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}',
    ]);
  });

  it("fails no request of clients under load that honour Connection: close, on SIGINT", async () => {
    let answered = 0;
    const failed: string[] = [];
    async function client(): Promise<void> {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      let answeredAt = performance.now();
      for (let asked = 0; ; asked++) {
        try {
          const { statusCode, headers } = await listOver(program.origin, agent);
          answeredAt = performance.now();
          if (statusCode === 200) answered++;
          else failed.push(String(statusCode));
          if (headers.connection === "close") return;
        } catch (error) {
          // A connection that is idle for a second is closed; here only if this process gets no time for so long.
          if (performance.now() - answeredAt < 800) failed.push(String(error));
          return;
        }
        // At any moment some connections are idle, for up to a tenth of a second.
        if (asked % 50 === 0) await sleep(Math.random() * 100);
      }
    }
    const clients = Array.from({ length: 32 }, client);
    await until(() => answered > 1000);
    const ended = program.stop("SIGINT");
    await Promise.all(clients);
    expect(failed).to.deep.equal([]);
    expect(await ended).to.include({ code: 0, signal: null, stderr: "" });
  });

  it("answers a request that comes over an idle connection, and closes the connection", async () => {
    const agent = new Agent({ keepAlive: true });
    await listOver(program.origin, agent);
    const ended = program.stop();
    await program.printed(/"stopping"/);
    expect((await listOver(program.origin, agent)).headers.connection).to.equal("close");
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

  it("closes idle connections before PETSTORE_STOP_TIMEOUT: one between two requests, and one without any", async () => {
    const idle = await send(`GET /v1/pets HTTP/1.1\r\n${HEAD}\r\n`);
    const silent = await send("");
    // If it waited for them until PETSTORE_STOP_TIMEOUT, the code would be 1.
    expect(await program.stop()).to.include({ code: 0, signal: null });
    expect(await idle.answer).to.match(/^HTTP\/1\.1 200 OK\r\n.*\[\]$/s);
    expect(await silent.answer).to.equal("");
  });

  it("cuts off a request that does not end in PETSTORE_STOP_TIMEOUT, says so, and exits with 1", async () => {
    const env = { PETSTORE_API_KEY: E2E_KEY, PETSTORE_STOP_TIMEOUT: "1" };
    program = await startProgram({ cwd: cwd(), env });
    await send(UPLOAD_HEAD);
    const { code, stdout } = await program.stop();
    expect(code).to.equal(1);
    expect(stdout).to.include("stopped with requests in flight");
  });

  it("ends at once at a second signal", async () => {
    await send(UPLOAD_HEAD);
    program.child.kill("SIGTERM");
    await program.printed(/"stopping"/);
    // For a tenth of a second the program takes it for the first one.
    const again = setInterval(() => program.child.kill("SIGINT"), 100);
    // If it went on, it would end with exit code 1.
    expect(await program.ended).to.include({ code: null, signal: "SIGINT" });
    clearInterval(again);
  });

  it("takes two signals in a row for one, as timeout(1) sends them", async () => {
    const first = performance.now();
    program.child.kill("SIGINT");
    await sleep(20);
    const ended = program.stop("SIGTERM");
    const between = performance.now() - first;
    // Longer only if this process got no time in between; then they are two.
    if (between < 80) expect(await ended).to.include({ code: 0, signal: null });
  });

  it("goes on serving if nobody reads its output any more, and stops as usual", async () => {
    program.child.stdout?.destroy();
    program.child.stderr?.destroy();
    expect((await petsClient(program.origin).create(BODY)).status).to.equal(201);
    expect(await program.stop()).to.include({ code: 0, signal: null });
  });
});
