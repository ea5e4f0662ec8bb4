import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { get } from "../support/client.js";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { head, openSocket, RawConnection } from "../support/raw-http.js";
import { Program, startProgram, statusOf } from "../support/start-program.js";

const BODY = '{"name":"Rex","categoryId":1}';
const LENGTH = `Content-Length: ${BODY.length}`;
/** The head of a create, to which the program responds 100 once it has read it. */
const UPLOAD = head(
  "POST /v1/pets HTTP/1.1",
  "Expect: 100-continue",
  "Content-Type: application/json",
  LENGTH,
);

const SILENT = `async open() {
  const pets = new Pets();
  pets.list = () => { console.log("asked"); return new Promise(() => {}); };
  return storageOf(pets);
}`;

describe("The program, told to stop", () => {
  const cwd = inEmptyFolder();

  /** Starts the program with a list in flight, whose response would come after 4.5 s. */
  async function startBusy(env: Record<string, string> = {}): Promise<Program> {
    const module = writeModule(cwd(), "acme.mjs", outsideStorage(SILENT));
    const storage = { PETSTORE_STORAGE: "acme:x", PETSTORE_STORAGE_ADAPTERS: module };
    const program = await startProgram({ cwd: cwd(), env: { ...storage, ...env } });
    void get(program, "/v1/pets").catch(() => undefined);
    await program.printed(/^asked$/m);
    return program;
  }

  it("finishes a request in flight, is alive and not ready meanwhile, and ends with 0", async () => {
    const program = await startProgram({ cwd: cwd() });
    const uploading = (await RawConnection.open(program.port)).send(UPLOAD);
    expect((await uploading.answer()).status).to.equal(100);
    const ended = program.stop();
    await program.printed(/"stopping"/);
    expect(await statusOf(`${program.admin}/readyz`)).to.equal(503);
    expect(await statusOf(`${program.admin}/livez`)).to.equal(200);
    const { status, headers } = await uploading.send(BODY).answer();
    expect({ status, connection: headers.connection }).to.deep.equal({ status: 201, connection: "close" });
    expect(await ended).to.include({ code: 0, signal: null, stderr: "" });
    expect(program.stdout).to.match(/"msg":"stopped"\}\n$/);
  });

  it("cuts requests in flight after PETSTORE_STOP_TIMEOUT, says so, and ends with 1", async () => {
    const program = await startBusy({ PETSTORE_STOP_TIMEOUT: "0" });
    const { code, stdout } = await program.stop();
    expect(code).to.equal(1);
    expect(stdout).to.match(/"connections":1,"msg":"stopped with requests in flight/);
  });

  it("takes two signals in a row for one, and ends at once at a later one", async () => {
    const program = await startBusy();
    for (const signal of ["SIGTERM", "SIGINT"] as const) program.child.kill(signal);
    await program.printed(/"stopping"/);
    await sleep(600);
    expect(await program.stop("SIGINT")).to.include({ code: null, signal: "SIGINT" });
  });

  it("ends as usual while nobody reads its log", async () => {
    const program = await startProgram({ cwd: cwd(), env: { PETSTORE_STORAGE: "memory:" } });
    program.child.stdout?.pause();
    // Fills the pipe and both of its ends.
    const requests = head("GET /v1/pets HTTP/1.1").repeat(1000);
    const socket = await openSocket(program.port, requests + head("GET / HTTP/1.1", "Connection: close"));
    await once(socket.resume(), "end");
    const exited = once(program.child, "exit");
    program.child.kill("SIGTERM");
    expect(await exited).to.deep.equal([0, null]);
    program.child.stdout?.resume();
    await program.ended;
    expect(program.stdout, "the pipe was full").not.to.include('"msg":"stopped"');
  });

  it("goes on serving once nobody can read its output any more, and stops as usual", async () => {
    const program = await startProgram({ cwd: cwd() });
    program.child.stdout?.destroy();
    program.child.stderr?.destroy();
    for (let n = 0; n < 3; n++) expect(await statusOf(`${program.origin}/v1/pets`)).to.equal(401);
    expect(await program.stop()).to.include({ code: 0, signal: null });
  });

  it("goes on serving while the disk of its log is full, and stops as usual", async function () {
    if (!existsSync("/dev/full")) this.skip();
    const port = await freePort();
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_PORT: String(port) };
    const through = ["sh", "-c", 'exec "$@" >/dev/full', "sh"];
    const program = new Program({ cwd: cwd(), env, through });
    const ask = () => statusOf(`http://127.0.0.1:${port}/v1/pets`).catch(() => 0);
    await until(async () => (await ask()) === 401 && program.stderr !== "");
    expect(await ask()).to.equal(401);
    const { code, stderr } = await program.stop();
    expect(code).to.equal(0);
    expect(stderr).to.match(/^petstore: the log cannot be written: ENOSPC.*\n$/);
  });
});
