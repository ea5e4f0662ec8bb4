import { text } from "node:stream/consumers";
import { expect } from "chai";
import type { WireErrorCode } from "../../../src/adapters/http/http-error.js";
import { listen } from "../../../src/adapters/http/listen.js";
import { TOKENS } from "../../../src/container.js";
import { captureLog, type LogLine } from "../../support/captured-log.js";
import { get } from "../../support/client.js";
import { arrival, eventually, until } from "../../support/eventually.js";
import { CANARY, expectError } from "../../support/expect-error.js";
import { head, openSocket, RawConnection } from "../../support/raw-http.js";
import { type AppOptions, type StartedApp, startApp, storageOver } from "../../support/start-app.js";
import { fill, hold, LISTS, LONG_LISTS } from "./repositories.js";

const BODY = '{"name":"Rex","categoryId":1}';
const TYPE = "Content-Type: application/json";
const getWith = (...lines: string[]) => head("GET /v1/pets HTTP/1.1", ...lines);
const postWith = (...lines: string[]) => head("POST /v1/pets HTTP/1.1", ...lines);
const START = postWith(TYPE, `Content-Length: ${BODY.length}`);
const CREATE = START + BODY;
const CHUNKED = postWith(TYPE, "Transfer-Encoding: chunked");
const UNTYPED = postWith("Transfer-Encoding: chunked");
const WITHOUT_KEY = "POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
const ORDERS = head("GET /v1/store/orders HTTP/1.1");
const UPGRADE = getWith("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk");
const filled = (size: number) => `X: ${"x".repeat(size)}`;

const MALFORMED = "400 malformed_request, end";
const TOO_LONG = "431 headers_too_large, end";

/** Packets, and the responses to them; `end` if the connection then ends. */
const CONVERSATIONS: Readonly<Record<string, readonly [sent: string | string[], responses: string]>> = {
  "no request line": [`${CANARY}\r\n\r\n`, MALFORMED],
  "an unknown method": [head("FETCH /v1/pets HTTP/1.1"), MALFORMED],
  "a malformed chunk": [`${CHUNKED}zz\r\n`, MALFORMED],
  "a malformed chunk without a type": [`${UNTYPED}zz\r\n`, MALFORMED],
  "a malformed chunk after an early response": [[WITHOUT_KEY, "zz\r\n"], "401 missing_credentials, end"],
  "a head of 15.9 KB": [getWith(filled(15_900)), "200"],
  "a head of 20 KB": [getWith(filled(20_000)), TOO_LONG],
  "no Host": ["GET / HTTP/1.1\r\n\r\n", "400 malformed_request"],
  "a Host after 3000 headers": [getWith(...Array(3000).fill("a:"), "Host: b"), "400 malformed_request"],
  "pipelined requests": [CREATE + ORDERS + head("GET / HTTP/1.1"), "201, 200, 404 route_not_found"],
  "a fault after requests": [`${ORDERS}${ORDERS}BAD\r\n\r\n${CREATE}`, `200, 200, ${MALFORMED}`],
  "requests after Connection: close": [head("OPTIONS * HTTP/1.1", "Connection: close") + CREATE, "204, end"],
  "too large a body": [
    `${CHUNKED}61a8\r\n${"x".repeat(25_000)}\r\n0\r\n\r\n`.repeat(2),
    "413 body_too_large, 413 body_too_large",
  ],
  "an empty chunked body without a type": [[UNTYPED, "0\r\n\r\n"], "400 missing_body"],
  "a chunked body without a type": [`${UNTYPED}2\r\n{}\r\n0\r\n\r\n`, "415 unsupported_media_type"],
  Upgrade: [[UPGRADE, UPGRADE], "200, 200"],
};

const [IN_FLIGHT, REQUESTS] = ["petstore_http_requests_in_flight", "petstore_http_requests_total"];

describe("The server", () => {
  let app: StartedApp;
  let connection: RawConnection;
  let lines: LogLine[];
  const start = async (options?: AppOptions) => {
    const captured = captureLog();
    lines = captured.lines;
    app = await startApp({ ...options, log: captured.log });
    connection = await RawConnection.open(app.port);
  };
  afterEach(() => app.close());

  async function expectResponse(expected: string): Promise<void> {
    const [status, code] = expected.split(" ");
    const response = await connection.answer();
    if (code) expectError(response, Number(status), code as WireErrorCode);
    else expect(response.status, response.text).to.equal(Number(status));
  }

  for (const [what, [sent, expected]] of Object.entries(CONVERSATIONS)) {
    it(`responds to ${what} with ${expected}`, async () => {
      await start();
      for (const packet of [sent].flat()) {
        connection.send(packet);
        if (Array.isArray(sent)) await arrival();
      }
      for (const response of expected.split(", ")) {
        if (response === "end") expect(await connection.rest()).to.equal("");
        else await expectResponse(response);
      }
      if (!expected.endsWith("end")) expect((await connection.send(ORDERS).answer()).status).to.equal(200);
      await until(async () => (await app.metric(IN_FLIGHT)) === 0);
      expect(JSON.parse((await get(app, "/v1/pets")).text)).to.have.length(expected.includes("201") ? 1 : 0);
    });
  }

  it("does not count a slow upload as in flight", async () => {
    await start({ settings: { maxInFlight: 1 } });
    connection.send(START);
    await until(async () => (await app.metric(IN_FLIGHT)) === 1);
    expect((await get(app, "/v1/store/orders")).status).to.equal(200);
    expect((await connection.send(BODY).answer()).status).to.equal(201);
  });

  it("serves more requests at once than may be in flight if they take no time", async () => {
    await start({ settings: { maxInFlight: 64 } });
    connection.send(getWith().repeat(200));
    for (let n = 0; n < 200; n++) await expectResponse("200");
  });

  it("responds to a malformed rest once the request before it is finished, however long that takes", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on("warning", warn);
    const held = hold("create");
    await start({ storage: held.storage });
    connection.send(CREATE);
    await until(() => held.calls === 1);
    for (let n = 0; n < 15; n++) {
      connection.send("BAD\r\n\r\n");
      await arrival(1);
    }
    held.open();
    await expectResponse("201");
    await expectResponse("400 malformed_request");
    expect(await connection.rest()).to.equal("");
    process.off("warning", warn);
    expect(warnings).to.deep.equal([]);
  });

  it("keeps nothing of a request that is done", async () => {
    await start();
    connection.send(ORDERS + CREATE);
    await expectResponse("200");
    await expectResponse("201");
    await until(() => [...app.server.responses.values()].every((responses) => responses.length === 0));
    expect(app.server.responses.size).to.equal(1);
  });

  it("announces PETSTORE_KEEP_ALIVE_TIMEOUT, and keeps it", async () => {
    await start({ settings: { keepAliveTimeout: 600 } });
    connection.send(ORDERS);
    expect((await connection.answer()).headers["keep-alive"]).to.equal("timeout=600");
    expect(app.server.keepAliveTimeout).to.equal(600_000);
  });

  it("closes connections beyond PETSTORE_MAX_CONNECTIONS", async () => {
    await start({ settings: { maxConnections: 1 } });
    expect((await connection.send(ORDERS).answer()).status).to.equal(200);
    expect(await text(await openSocket(app.port, ORDERS))).to.equal("");
  });

  it("closes connections beyond 100 on the admin port", async () => {
    await start();
    const admin = app.program.resolve(TOKENS.adminServer);
    const { origin = "" } = await listen(admin, { host: "127.0.0.1", port: 0, settings: ["", ""] });
    const port = Number(new URL(origin).port);
    for (let n = 0; n < 100; n++) await openSocket(port, "");
    expect(await text(await openSocket(port, ""))).to.equal("");
    expect(admin.responses.size).to.equal(100);
    admin.close();
    admin.closeAllConnections();
  });

  for (const how of ["finishSending", "reset"] as const) {
    it(`logs and counts a body that breaks off (${how}) once, as no failure of the service`, async () => {
      await start();
      connection.send(CREATE.slice(0, -9));
      await until(async () => (await app.metric(IN_FLIGHT)) === 1);
      connection[how]();
      const line = await eventually(() => lines[0]);
      expect(line).to.include({ level: 30, operation: "createPet", status: 400, code: "malformed_request" });
      connection.close();
      await until(() => app.server.responses.size === 0);
      expect([lines.length, await app.metric(REQUESTS)]).to.deep.equal([1, 1]);
    });
  }

  it("carries out a create that breaks off once its pet is on its way into the storage", async () => {
    const held = hold("create");
    await start({ storage: held.storage });
    connection.send(CREATE);
    await until(() => held.calls === 1);
    connection.reset();
    await until(() => app.server.responses.size === 0);
    held.open();
    const line = await eventually(() => lines[0]);
    expect(line).to.include({ operation: "createPet", status: 201, client: "127.0.0.1" });
    expect(lines).to.have.length(1);
  });

  it("logs and counts a fault once: with the id of the request if its head was whole, otherwise as refused", async () => {
    await start();
    connection.send(`${postWith(TYPE, "X-Request-Id: mine", "Transfer-Encoding: chunked")}zz\r\n`);
    expect((await connection.answer()).headers["x-request-id"]).to.equal("mine");
    const { headers } = await (await RawConnection.open(app.port)).send("BAD\r\n\r\n").answer();
    await eventually(() => lines[1]);
    const fault = { status: 400, code: "malformed_request" };
    expect(lines[0]).to.include({ ...fault, msg: "request", requestId: "mine" });
    const { time, pid, hostname, level, ...line } = lines[1] as LogLine;
    const requestId = headers["x-request-id"];
    expect(line).to.deep.equal({ ...fault, msg: "request refused", client: "127.0.0.1", requestId });
    const rejected = '{operation="none",method="other",status="400"}';
    expect([await app.metric(REQUESTS), await app.metric(REQUESTS + rejected)]).to.deep.equal([2, 1]);
  });
});

describe("The time limits", () => {
  const SHORT = { headersTimeout: 200, requestTimeout: 400, keepAliveTimeout: 300 };
  let app: StartedApp;
  before(async () => {
    app = await startApp({ timeouts: { ...SHORT, connectionsCheckingInterval: 50 } });
  });
  after(() => app.close());

  for (const [what, bytes] of Object.entries({
    "a head that is never whole": "GET /v1/pets HTTP/1.1\r\nHost: a\r\n",
    "a body that is never whole": CREATE.slice(0, -9),
    "no byte at all": "",
  })) {
    it(`end ${what} with 408, and carry out nothing after it`, async () => {
      const connection = (await RawConnection.open(app.port)).send(bytes);
      expectError(await connection.answer(), 408, "request_timeout");
      expect(await connection.send(BODY + CREATE).rest()).to.equal("");
      expect((await get(app, "/v1/pets")).text).to.equal("[]");
    });
  }

  it("end an idle connection without a response", async () => {
    const connection = (await RawConnection.open(app.port)).send(ORDERS);
    expect((await connection.answer()).status).to.equal(200);
    expect(await connection.rest()).to.equal("");
  });

  it("end a connection whose client does not read its responses", async () => {
    const other = await startApp({ storage: await fill(storageOver()), timeouts: { timeout: 200 } });
    // The last request is incomplete: its 408 must not keep the connection.
    const socket = (await openSocket(other.port, LONG_LISTS + START)).pause();
    await until(async () => (await other.metric(REQUESTS)) === LISTS);
    await until(() => other.server.responses.size === 0);
    socket.destroy();
    await other.close();
  });
});
