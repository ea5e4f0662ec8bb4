import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { allPets, post } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { head, RawConnection } from "../support/raw-http.js";
import { type Program, startProgram, statusOf } from "../support/start-program.js";

const BODY = '{"name":"Rex","categoryId":9223372036854775807}';
const TYPE = "Content-Type: application/json";
/** The program answers 100 once it has read this. */
const UPLOAD = head("POST /v1/pets HTTP/1.1", "Expect: 100-continue", TYPE, `Content-Length: ${BODY.length}`);

describe("The program, told to stop", () => {
  let program: Program;
  const cwd = inEmptyFolder();

  beforeEach(async () => {
    program = await startProgram({ cwd: cwd() });
  });

  /** Sends the head of an upload, which the program has read then. */
  async function beginUpload(): Promise<RawConnection> {
    const connection = (await RawConnection.open(program.port)).send(UPLOAD);
    expect((await connection.answer()).status).to.equal(100);
    return connection;
  }

  it("finishes an upload in flight at SIGTERM, is alive and not ready meanwhile, and exits with 0", async () => {
    const uploading = (await beginUpload()).send(BODY.slice(0, 10));
    const ended = program.stop();
    await program.printed(/"stopping"/);
    await sleep(300);
    const readyz = await fetch(`${program.admin}/readyz`);
    expect(readyz.status).to.equal(503);
    expect(await readyz.json()).to.include({ code: "shutting_down", status: 503 });
    expect(await statusOf(`${program.admin}/livez`)).to.equal(200);

    const { status, headers, text } = await uploading.send(BODY.slice(10)).answer();
    expect({ status, connection: headers.connection }).to.deep.equal({ status: 201, connection: "close" });
    expect(await ended).to.include({ code: 0, signal: null, stderr: "" });
    expect(program.stdout).to.match(/"msg":"stopped"\}\n$/);
    expect(await allPets(await startProgram({ cwd: cwd() }))).to.deep.equal([text]);
  });

  it("cuts off a request that does not end in PETSTORE_STOP_TIMEOUT, says so, and exits with 1", async () => {
    program = await startProgram({ cwd: cwd(), env: { PETSTORE_STOP_TIMEOUT: "1" } });
    await beginUpload();
    const { code, stdout } = await program.stop();
    expect(code).to.equal(1);
    expect(stdout).to.include("stopped with requests in flight");
  });

  it("ends at once at a second signal", async () => {
    await beginUpload();
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
    expect((await post(program, BODY)).status).to.equal(201);
    expect(await program.stop()).to.include({ code: 0, signal: null });
  });
});
