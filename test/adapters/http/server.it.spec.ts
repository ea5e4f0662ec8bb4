import { text } from "node:stream/consumers";
import { expect } from "chai";
import type { WireErrorCode } from "../../../src/adapters/http/http-error.js";
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
const WITHOUT_KEY = "POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
const GET_PET = head("GET /v1/pets/1 HTTP/1.1");
const ORDERS = head("GET /v1/store/orders HTTP/1.1");
const LAST = head("GET /v1/store/orders HTTP/1.1", "Connection: close");
const UPGRADE = getWith("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk");
const filled = (size: number) => `X: ${"x".repeat(size)}`;
const large = `61a8\r\n${"x".repeat(25_000)}\r\n`.repeat(20);

const MALFORMED = "400 malformed_request, end";
const TOO_LONG = "431 headers_too_large, end";

const UNTYPED = postWith("Transfer-Encoding: chunked");

/** What the server answers to packets, and whether it then ends the connection. */
const CONVERSATIONS: Readonly<Record<string, readonly [sent: string | string[], answers: string]>> = {
  "no request line": [`${CANARY}\r\n\r\n`, MALFORMED],
  "a TLS hello": ["\x16\x03\x01\x00\xa5\x01\x00\x00", MALFORMED],
  "an unknown method": [head("FETCH /v1/pets HTTP/1.1"), MALFORMED],
  "a header without a colon": [getWith(CANARY), MALFORMED],
  "a control character in a header": [getWith("X: \0"), MALFORMED],
  "a length beside chunks": [`${CHUNKED.replace(TYPE, "Content-Length: 4")}0\r\n\r\n`, MALFORMED],
  "a malformed chunk": [`${CHUNKED}zz\r\n`, MALFORMED],
  "a head of 15.9 KB": [getWith(filled(15_900)), "200"],
  "a head of 20 KB": [getWith(filled(20_000)), TOO_LONG],
  "a target of 17 KB": [head(`GET /v1/pets?${"x".repeat(17_000)} HTTP/1.1`), TOO_LONG],
  "a trailer of 20 KB": [`${CHUNKED}1\r\n{\r\n0\r\n${filled(20_000)}\r\n\r\n`, TOO_LONG],
  "chunk extensions of 20 KB": [`${CHUNKED}1d;${"x".repeat(20_000)}\r\n`, MALFORMED],
  "no Host": ["GET / HTTP/1.1\r\n\r\n", "400 malformed_request"],
  "two Hosts": [getWith("Host: b"), "400 malformed_request"],
  "a second Host after 3000 headers": [
    getWith(...Array(3000).fill("a:"), "Host: b"),
    "400 malformed_request",
  ],
  "pipelined requests": [
    CREATE + ORDERS + ORDERS + head("GET / HTTP/1.1"),
    "201, 200, 200, 404 route_not_found",
  ],
  "a fault after requests": [
    `${ORDERS + GET_PET}BAD\r\n\r\n${CREATE}`,
    `200, 404 pet_not_found, ${MALFORMED}`,
  ],
  "requests after Connection: close": [LAST + CREATE, "200, end"],
  "a body that fails after its answer": [[WITHOUT_KEY, "zz\r\n"], "401 missing_credentials, end"],
  "too large a body": [
    `${postWith(TYPE, "Content-Length: 90000")}${"x".repeat(90_000)}`,
    "413 body_too_large",
  ],
  "too large a body in chunks": [[CHUNKED, `${large}0\r\n\r\n`], "413 body_too_large"],
  "a body without a key": [`${WITHOUT_KEY}${large}0\r\n\r\n`, "401 missing_credentials"],
  "an empty chunked body without a type, in one packet": [`${UNTYPED}0\r\n\r\n`, "400 missing_body"],
  "an empty chunked body without a type, in two": [[UNTYPED, "0\r\n\r\n"], "400 missing_body"],
  "a chunked body without a type": [`${UNTYPED}2\r\n{}\r\n0\r\n\r\n`, "415 unsupported_media_type"],
  "a malformed chunk without a type": [`${UNTYPED}zz\r\n`, MALFORMED],
  "a body of another type": [`${postWith("Content-Length: 2")}{}`, "415 unsupported_media_type"],
  "chunks with extensions and a trailer": [`${CHUNKED}1;a="b"\r\n{\r\n0\r\nX: x\r\n\r\n`, "400 invalid_json"],
  "Expect: 100-continue": [[START.replace("Host", "Expect: 100-continue\r\nHost"), BODY], "100, 201"],
  Upgrade: [[UPGRADE, UPGRADE, UPGRADE], "200, 200, 200"],
};

const [IN_FLIGHT, REQUESTS] = ["petstore_http_requests_in_flight", "petstore_http_requests_total"];

describe("The server", () => {
  let app: StartedApp;
  let connection: RawConnection;
  const start = async (options?: AppOptions) => {
    app = await startApp(options);
    connection = await RawConnection.open(app.port);
  };
  afterEach(async () => {
    connection.close();
    await app.close();
  });

  async function expectAnswer(expected: string): Promise<void> {
    const [status, code] = expected.split(" ");
    const answer = await connection.answer();
    if (code) expectError(answer, Number(status), code as WireErrorCode);
    else expect(answer.status, answer.text).to.equal(Number(status));
  }

  for (const [what, [sent, expected]] of Object.entries(CONVERSATIONS)) {
    it(`answers ${what} with ${expected}`, async () => {
      await start();
      for (const packet of [sent].flat()) {
        connection.send(packet);
        await arrival();
      }
      const answers = expected.split(", ");
      for (const answer of answers) {
        if (answer === "end") expect(await connection.rest()).to.equal("");
        else await expectAnswer(answer);
      }
      if (answers.at(-1) !== "end") {
        connection.send(ORDERS);
        await expectAnswer("200");
      }
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

  it("rejects a malformed body after a slow create right after the response to that", async () => {
    const held = hold("create");
    await start({ storage: held.storage });
    connection.send(CREATE);
    await until(() => held.calls === 1);
    connection.send(`${CHUNKED}5\r\n{"a":\r\nzz\r\n`);
    await arrival();
    held.open();
    await expectAnswer("201");
    await expectAnswer("400 malformed_request");
    expect(await connection.rest()).to.equal("");
    await until(async () => (await app.metric(IN_FLIGHT)) === 0);
    for (const status of [201, 400]) {
      const labels = `{operation="createPet",method="POST",status="${status}"}`;
      expect(await app.metric(REQUESTS + labels)).to.equal(1);
    }
  });

  it("closes connections beyond the limit", async () => {
    await start({ settings: { maxConnections: 1 } });
    expect((await connection.send(ORDERS).answer()).status).to.equal(200);
    expect(await text(await openSocket(app.port, ORDERS))).to.equal("");
  });
});

describe("The time limits", () => {
  let app: StartedApp;
  before(async () => {
    const short = { headersTimeout: 200, requestTimeout: 400, keepAliveTimeout: 300, timeout: 300 };
    app = await startApp({ timeouts: { ...short, connectionsCheckingInterval: 50 } });
  });
  after(() => app.close());

  for (const [what, bytes] of Object.entries({
    "a head that is never whole": "GET /v1/pets HTTP/1.1\r\nHost: a\r\n",
    "a body that is never whole": CREATE.slice(0, -9),
    "a body that never begins": START,
    "a chunk that never ends": `${CHUNKED}9\r\n{`,
    "no byte at all": "",
  })) {
    it(`answer ${what} with 408, and end the connection`, async () => {
      const connection = (await RawConnection.open(app.port)).send(bytes);
      expectError(await connection.answer(), 408, "request_timeout");
      expect(await connection.send(BODY + CREATE).rest()).to.equal("");
      expect((await get(app, "/v1/pets")).text).to.equal("[]");
    });
  }

  it("end an idle connection without an answer", async () => {
    const connection = (await RawConnection.open(app.port)).send(ORDERS);
    expect((await connection.answer()).status).to.equal(200);
    expect(await connection.rest()).to.equal("");
  });

  it("end a connection whose client does not read its answer", async () => {
    const storage = await fill(storageOver());
    const other = await startApp({ storage, timeouts: { timeout: 200 } });
    // The last one is not whole: its 408 is not to keep the connection.
    const socket = (await openSocket(other.port, LONG_LISTS + START)).pause();
    await until(async () => (await other.metric(REQUESTS)) === LISTS);
    await until(() => other.server.responses.size === 0);
    socket.destroy();
    await other.close();
  });
});

describe("A request that breaks off", () => {
  let app: StartedApp;
  let lines: LogLine[];
  let connection: RawConnection;
  const start = async (options: AppOptions = {}) => {
    const captured = captureLog();
    lines = captured.lines;
    app = await startApp({ ...options, log: captured.log });
    connection = await RawConnection.open(app.port);
  };
  afterEach(() => app.close());

  for (const how of ["finishSending", "close", "reset"] as const) {
    it(`in the middle of its body (${how}) is logged and counted once, as no failure of the service`, async () => {
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

  it("once its pet is on its way into the storage is carried out", async () => {
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

  it("by a fault is logged and counted once: with its id if its head was whole, otherwise as refused", async () => {
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
