import { expect } from "chai";
import { clientAddressBehind } from "../../../../src/adapters/http/middleware/client-address.js";
import { captureLog, type LogLine } from "../../../support/captured-log.js";
import { get } from "../../../support/client.js";
import { arrival, eventually } from "../../../support/eventually.js";
import { expectError } from "../../../support/expect-error.js";
import { exchange, head, RawConnection } from "../../../support/raw-http.js";
import { hold } from "../../../support/repositories.js";
import { type AppOptions, type StartedApp, startApp } from "../../../support/start-app.js";

const BODY = '{"name":"Rex","categoryId":1}';
const TYPE = "Content-Type: application/json";
const CREATE = head("POST /v1/pets HTTP/1.1", TYPE, `Content-Length: ${BODY.length}`);
const TOO_LARGE = CREATE.replace(`${BODY.length}`, "900000") + "x".repeat(90_000);
const IN_CHUNKS = head("POST /v1/pets HTTP/1.1", TYPE, "Transfer-Encoding: chunked", "X-Request-Id: mine");

describe("A request that breaks off", () => {
  let app: StartedApp;
  let lines: LogLine[];
  afterEach(() => app.close());

  async function start(options: AppOptions = {}): Promise<void> {
    const captured = captureLog();
    lines = captured.lines;
    app = await startApp({ ...options, log: captured.log });
  }

  /** The samples of these counters, as Prometheus reads them. */
  async function counted(prefix: string): Promise<string[]> {
    const { text } = await app.metrics.read();
    return text.split("\n").filter((line) => line.startsWith(prefix));
  }

  for (const [what, bytes] of [
    ["in the middle of its body", CREATE + BODY.slice(0, 9)],
    ["in the middle of a chunk", `${IN_CHUNKS}9\r\n{`],
  ] as const) {
    for (const how of ["finishSending", "close", "reset"] as const) {
      it(`${what} (${how}) is counted and logged once`, async () => {
        await start();
        const connection = await RawConnection.open(app.port);
        connection.send(bytes);
        await arrival();
        connection[how]();
        await eventually(() => lines[0]);
        await arrival();
        expect(lines.map(({ msg, status, code }) => [msg, status, code])).to.deep.equal([
          ["request", 400, "malformed_request"],
        ]);
        expect(lines[0]).to.include({ operation: "createPet", aborted: true });
        expect(await counted("petstore_http_requests_total")).to.deep.equal([
          'petstore_http_requests_total{operation="createPet",method="POST",status="400"} 1',
        ]);
        connection.close();
      });
    }
  }

  it("by a malformed chunk or a time-out is counted and logged once, as the service answers it", async () => {
    await start({ timeouts: { headers: 100, request: 200 } });
    const malformed = await exchange(app.port, `${IN_CHUNKS}zz\r\n`);
    expectError(malformed, 400, "malformed_request");
    expect(malformed.headers["x-request-id"]).to.equal("mine");
    expectError(await exchange(app.port, `${IN_CHUNKS}9\r\n{`), 408, "request_timeout");
    await eventually(() => lines[1]);
    await arrival();
    expect(lines.map(({ msg, status, code, requestId }) => [msg, status, code, requestId])).to.deep.equal([
      ["request", 400, "malformed_request", "mine"],
      ["request", 408, "request_timeout", "mine"],
    ]);
    expect(await counted("petstore_http_errors_total")).to.deep.equal([
      'petstore_http_errors_total{code="malformed_request"} 1',
      'petstore_http_errors_total{code="request_timeout"} 1',
    ]);
  });

  for (const how of ["close", "reset"] as const) {
    it(`once its pet is on its way into the storage (${how}) gets 201, and the log says that its client has gone`, async () => {
      const held = hold("create");
      await start({ repository: held.repository, clientAddress: clientAddressBehind(["loopback"]) });
      const connection = await RawConnection.open(app.port);
      connection.send(CREATE + BODY);
      await eventually(() => held.asked || undefined);
      connection[how]();
      await arrival();
      held.open();
      await eventually(() => lines[0]);
      expect(lines).to.have.length(1);
      const client = "127.0.0.1";
      expect(lines[0]).to.include({ operation: "createPet", status: 201, aborted: true, client });
      expect(await counted("petstore_http_requests_aborted_total")).to.deep.equal([
        'petstore_http_requests_aborted_total{operation="createPet"} 1',
      ]);
    });

    for (const [when, bytes] of [
      ["in the middle of its head", "GET /v1/pets HTTP/1.1\r\nHo"],
      ["in the middle of too large a body", TOO_LARGE],
      ["after a malformed one", "BAD\r\n\r\n"],
    ] as const) {
      it(`${when} (${how}) leaves no error in the log, and the service running`, async () => {
        await start();
        const connection = (await RawConnection.open(app.port)).send(bytes);
        await arrival();
        connection[how]();
        await arrival();
        expect((await get(app, "/v1/pets")).status).to.equal(200);
        expect(lines.filter(({ level }) => level >= 40)).to.deep.equal([]);
      });
    }
  }
});
