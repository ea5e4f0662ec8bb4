import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import { allowOf } from "../../../support/described.js";
import { arrival, until } from "../../../support/eventually.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { exchange, head, RawConnection } from "../../../support/raw-http.js";
import { useServer } from "../../../support/use-app.js";

const getWith = (...lines: string[]) => head("GET /v1/pets HTTP/1.1", ...lines);
const postWith = (...lines: string[]) => head("POST /v1/pets HTTP/1.1", ...lines);
const chunked = (chunks: string) =>
  postWith("Content-Type: application/json", "Transfer-Encoding: chunked") + chunks;

/** Bytes that are no request of HTTP/1.1. */
const MALFORMED: Record<string, string | Buffer> = {
  "no request line": `${CANARY}\r\n\r\n`,
  "a TLS hello": Buffer.from("16030100a5010000a10303aabbccddeeff", "hex"),
  "HTTP/0.9": head("GET /v1/pets HTTP/0.9"),
  "HTTP/2.0": head("GET /v1/pets HTTP/2.0"),
  "a target that is not ASCII": head(`GET /v1/pets?status=${CANARY}\xc3\xa9 HTTP/1.1`),
  "two Hosts": getWith("Host: petstore.test"),
  "a second Host after 190 headers": getWith(...Array(190).fill("a:"), "Host: b"),
  "RTSP/1.0": head("GET /v1/pets RTSP/1.0"),
  "RTSP/1.0 behind a request of HTTP": head("OPTIONS /v1/pets HTTP/1.1") + head("GET / RTSP/1.0"),
  "a header without a colon": getWith(CANARY),
  "a length beside a transfer coding": `${postWith("Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  "a transfer coding on a GET": `${getWith("Transfer-Encoding: gzip, chunked")}0\r\n\r\n`,
};

/** Sends bytes, the first so many of them in a packet of their own. */
async function inTwoPackets(port: number, bytes: string, first: number): Promise<RawConnection> {
  const connection = (await RawConnection.open(port)).send(bytes.slice(0, first));
  await arrival();
  return connection.send(bytes.slice(first));
}

describe("A request that is not HTTP/1.1", () => {
  const app = useServer();
  afterEach(async () => {
    expect(await app().repository.list({ status: undefined, after: 0n, limit: 1 })).to.deep.equal([]);
  });

  for (const [what, bytes] of Object.entries(MALFORMED)) {
    it(`is answered with 400 malformed_request: ${what}`, async () => {
      const connection = (await RawConnection.open(app().port)).send(bytes);
      let answer = await connection.answer();
      if (answer.status === 204) answer = await connection.answer();
      expectError(answer, 400, "malformed_request");
      connection.close();
    });
  }

  for (const at of [2, 8, 15, 20, 30]) {
    it(`is answered with 400 also if it comes in two packets: ${at} bytes of RTSP first`, async () => {
      const connection = await inTwoPackets(app().port, head("GET /v1/pets RTSP/1.0"), at);
      expectError(await connection.answer(), 400, "malformed_request");
      connection.close();
    });
  }

  it("is not one behind a body that tells of RTSP and comes after its answer", async () => {
    const body = "\nGET /v1/pets RTSP/1.0\r\n";
    const connection = await RawConnection.open(app().port);
    connection.send(`POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`);
    expectError(await connection.answer(), 401, "missing_credentials");
    await arrival();
    connection.send(body);
    await arrival();
    expect((await connection.send(getWith()).answer()).status).to.equal(200);
    connection.close();
  });

  it("is not one whose header or body only tells of RTSP", async () => {
    const body = '{"name":"POST /v1/pets RTSP/1.0","categoryId":1}';
    const lines = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    const told = postWith("X: POST /v1/pets RTSP/1.0", "Content-Length: 0");
    expectError(await exchange(app().port, told), 400, "missing_body");
    expectError(await exchange(app().port, postWith(...lines, "Accept: a/b") + body), 406, "not_acceptable");
  });

  it("holds nothing in memory once its connection has ended", async () => {
    const accepted: WeakRef<object>[] = [];
    const accept = (message: unknown) => accepted.push(new WeakRef((message as { socket: object }).socket));
    subscribe("net.server.socket", accept);
    expectError(await exchange(app().port, "BAD\r\n\r\n"), 400, "malformed_request");
    unsubscribe("net.server.socket", accept);
    expect(accepted).to.have.length(1);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    await until(() => collect() || accepted[0]?.deref() === undefined, 200);
  });

  it("ends its connection soon, whatever the client goes on to send", async () => {
    const connection = await RawConnection.open(app().port);
    connection.send("BAD\r\n\r\n");
    expectError(await connection.answer(), 400, "malformed_request");
    await until(() => {
      connection.send("x");
      return connection.isGone;
    });
  });

  const whole = `${postWith("Content-Type: application/json", "Content-Length: 40")}{"name":"a","categoryId":1}`;
  for (const [where, bytes] of [
    ["its request line", whole.slice(0, 10)],
    ["its headers", whole.slice(0, 60)],
    ["its body", whole],
    ["its chunks", chunked('1b\r\n{"name":"a","categoryId":1}\r\n')],
  ] as const) {
    it(`is answered with 400 if the client ends in the middle of ${where}`, async () => {
      const connection = await RawConnection.open(app().port);
      connection.send(bytes).finishSending();
      expectError(await connection.answer(), 400, "malformed_request");
      expect(await connection.rest()).to.equal("");
    });
  }
});

describe("A head", () => {
  const app = useServer();

  it("of 200 headers is read", async () => {
    expect((await exchange(app().port, getWith(...Array(198).fill("a:")))).status).to.equal(200);
  });

  it("of less than 16 KiB is read", async () => {
    const padding = 16_000 - getWith("X-Padding: ").length;
    expect((await exchange(app().port, getWith(`X-Padding: ${"x".repeat(padding)}`))).status).to.equal(200);
  });

  for (const [what, bytes] of [
    ["of 2 MB", getWith(`X-Padding: ${"x".repeat(2_000_000)}`)],
    ["with too long a target", head(`GET /v1/pets?status=${CANARY.repeat(2000)} HTTP/1.1`)],
    ["with too many headers", getWith(...Array(9000).fill("a: b"))],
    ["with 201 headers", getWith(...Array(199).fill("a:"))],
    ["with 16000 empty headers", getWith(...Array(16_000).fill("a:"))],
  ] as const) {
    it(`${what} is answered with 431 headers_too_large`, async () => {
      expectError(await exchange(app().port, bytes), 431, "headers_too_large");
    });
  }
});

describe("The service", () => {
  const app = useServer();

  for (const [what, first, header, status] of [
    ["a malformed header", 0, "X: \0", 400],
    ["a malformed header in the second packet", 30, "X: \0", 400],
    ["a malformed header behind a first packet of two bytes", 2, "X: \0", 400],
    ["too large a head", 0, `X: ${"x".repeat(20_000)}`, 431],
  ] as const) {
    it(`answers HEAD without a body also for ${what}`, async () => {
      const connection = await inTwoPackets(app().port, head("HEAD /v1/pets HTTP/1.1", header), first);
      const answer = await connection.answer({ head: true });
      expect(answer.status).to.equal(status);
      expect(Number(answer.headers["content-length"])).to.be.above(1);
      expect(await connection.rest()).to.equal("");
      connection.close();
    });
  }

  it("answers with a body what is malformed behind a HEAD in two packets", async () => {
    const connection = await inTwoPackets(app().port, head("HEAD /v1/pets HTTP/1.1"), 9);
    expect((await connection.answer({ head: true })).status).to.equal(200);
    expectError(await connection.send("BAD\r\n\r\n").answer(), 400, "malformed_request");
    connection.close();
  });

  const long = `FETCH /${"x".repeat(9000)} HTTP/1.1`;
  for (const line of ["FETCH /v1/pets HTTP/1.1", "pOST /docs HTTP/1.1", "GETX * HTTP/1.1", long]) {
    it(`answers ${line.slice(0, 30)}, of an unknown method, with 405 and Allow of the service`, async () => {
      const answer = await exchange(app().port, head(line));
      expectError(answer, 405, "method_not_allowed");
      expect(answer.headers.allow).to.equal(allowOf());
    });
  }
});
