import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { get, post } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { head, RawConnection } from "../support/raw-http.js";
import { Program, startProgram, statusOf } from "../support/start-program.js";

const BODY = '{"name":"Rex","categoryId":1}';
/** The program answers 100 once it has read this. */
const UPLOAD = head(
  "POST /v1/pets HTTP/1.1",
  "Expect: 100-continue",
  "Content-Type: application/json",
  `Content-Length: ${BODY.length}`,
);

describe("The program, told to stop", () => {
  const cwd = inEmptyFolder();

  /** Sends the head of an upload, which the program has read then. */
  async function beginUpload(program: Program): Promise<RawConnection> {
    const connection = (await RawConnection.open(program.port)).send(UPLOAD);
    expect((await connection.answer()).status).to.equal(100);
    return connection;
  }

  it("finishes a request in flight, is alive and not ready meanwhile, and ends with 0", async () => {
    const program = await startProgram({ cwd: cwd() });
    const uploading = (await beginUpload(program)).send(BODY.slice(0, 10));
    const ended = program.stop();
    await program.printed(/"stopping"/);
    const readyz = await fetch(`${program.admin}/readyz`);
    expect(readyz.status).to.equal(503);
    expect(await readyz.json()).to.include({ code: "shutting_down", status: 503 });
    expect(await statusOf(`${program.admin}/livez`)).to.equal(200);
    const { status, headers } = await uploading.send(BODY.slice(10)).answer();
    expect({ status, connection: headers.connection }).to.deep.equal({ status: 201, connection: "close" });
    expect(await ended).to.include({ code: 0, signal: null, stderr: "" });
    expect(program.stdout).to.match(/"msg":"stopped"\}\n$/);
  });

  it("cuts a response that nobody reads after PETSTORE_STOP_TIMEOUT, says so, and ends with 1", async () => {
    // Without 3000 lines before the last one, which a slow reader of the log might lose.
    const env = { PETSTORE_STOP_TIMEOUT: "2", PETSTORE_LOG_LEVEL: "warn" };
    const program = await startProgram({ cwd: cwd(), env });
    const pet = JSON.stringify({ name: "x".repeat(255), categoryId: 1 });
    for (let n = 0; n < 100; n++) await post(program, pet);
    const client = connect(program.port, "127.0.0.1");
    await once(client, "connect");
    // Some 100 MB of answers, far more than the buffers of both sockets hold.
    const list = head("GET /v1/pets?limit=100 HTTP/1.1");
    client.write(list.repeat(3000));
    await sleep(500);
    const { code, stdout } = await program.stop();
    client.destroy();
    expect(code).to.equal(1);
    expect(stdout).to.match(/"connections":1,"msg":"stopped with requests in flight/);
  });

  it("takes two signals in a row for one, and ends at once at a later one", async () => {
    const silent = `async open() {
      const pets = new Pets();
      pets.list = () => { console.log("asked"); return new Promise(() => {}); };
      return storageOf(pets);
    }`;
    const module = writeModule(cwd(), "acme.mjs", outsideStorage(silent));
    const env = { PETSTORE_STORAGE: "acme:x", PETSTORE_STORAGE_ADAPTERS: module };
    const program = await startProgram({ cwd: cwd(), env });
    const asking = get(program, "/v1/pets").catch(() => undefined);
    await program.printed(/^asked$/m);
    for (const signal of ["SIGTERM", "SIGINT"] as const) program.child.kill(signal);
    await program.printed(/"stopping"/);
    // The list would be answered after 4.5 s.
    await sleep(600);
    expect(await program.stop("SIGINT")).to.include({ code: null, signal: "SIGINT" });
    await asking;
  });

  it("ends while it waits for a MongoDB server that never answers", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const url = `mongodb://127.0.0.1:${port}/petstore_test`;
    const program = new Program({ cwd: cwd(), env: { PETSTORE_STORAGE: url } });
    await once(silent, "connection");
    expect(await program.stop()).to.include({ code: 0, signal: null });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it("ends as usual while nobody reads its log", async () => {
    const program = await startProgram({ cwd: cwd(), env: { PETSTORE_STORAGE: "memory:" } });
    program.child.stdout?.pause();
    // More than the pipe and both of its ends hold.
    for (let n = 0; n < 20; n++)
      await Promise.all(Array.from({ length: 50 }, () => statusOf(`${program.origin}/v1/pets`)));
    const exited = once(program.child, "exit");
    program.child.kill("SIGTERM");
    expect(await exited).to.deep.equal([0, null]);
    program.child.stdout?.resume();
    await program.ended;
    expect(program.stdout, "the pipe was full").not.to.include('"msg":"stopped"');
  });

  it("goes on serving if nobody reads its output any more, and stops as usual", async () => {
    const program = await startProgram({ cwd: cwd() });
    program.child.stdout?.destroy();
    program.child.stderr?.destroy();
    for (let n = 0; n < 3; n++) {
      expect(await statusOf(`${program.origin}/v1/pets`)).to.equal(401);
      await sleep(150);
    }
    expect(await program.stop()).to.include({ code: 0, signal: null });
  });
});
