import { expect } from "chai";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { exchange, head, RawConnection } from "../../../support/raw-http.js";
import { API_KEY } from "../../../support/start-app.js";
import { useApp } from "../../../support/use-app.js";

const KEY = `Authorization: Bearer ${API_KEY}`;

/** Bytes that are no request of HTTP/1.1. Each gets 400 malformed_request. */
const MALFORMED: Record<string, string | Buffer> = {
  "no request line": `${CANARY}\r\n\r\n`,
  "a TLS hello": Buffer.from("16030100a5010000a10303aabbccddeeff", "hex"),
  "an HTTP/0.9 request": "GET /v1/pets\r\n\r\n",
  "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP/0.9 by name": head("GET /v1/pets HTTP/0.9"),
  "HTTP/1.2": head("GET /v1/pets HTTP/1.2"),
  "HTTP/2.0": head("GET /v1/pets HTTP/2.0"),
  "HTTP/11": head("GET /v1/pets HTTP/11"),
  "another protocol": head("GET /v1/pets ICE/1.0"),
  "an SSH greeting": "SSH-2.0-OpenSSH_9.6\r\n",
  "spaces within the target": head(`GET /v1/pets ${CANARY} HTTP/1.1`),
  "a fragment": head(`GET /v1/pets#${CANARY} HTTP/1.1`),
  "a fragment in the query": head(`GET /v1/pets?limit=1#${CANARY} HTTP/1.1`),
  "a target that is not ASCII": head(`GET /v1/pets?status=${CANARY}\xc3\xa9 HTTP/1.1`),
  "a limit in Arabic digits, not percent-encoded": Buffer.from(head("GET /v1/pets?limit=٣ HTTP/1.1")),
  "a NUL in the target": head("GET /v1/pets?\0 HTTP/1.1"),
  "a DEL in the target": head("GET /v1/pets?\x7f HTTP/1.1"),
  "a target without a slash": head("GET v1/pets HTTP/1.1"),
  "an empty host in the target": head("GET http:///v1/pets HTTP/1.1"),
  "another scheme in the target": head("GET ftp://petstore.test/v1/pets HTTP/1.1"),
  "an asterisk with another method than OPTIONS": head("GET * HTTP/1.1"),
  "no Host": `GET /v1/pets HTTP/1.1\r\n${KEY}\r\n\r\n`,
  "two Hosts": head("GET /v1/pets HTTP/1.1", "Host: petstore.test"),
  "two empty Hosts": `GET /v1/pets HTTP/1.1\r\nHost:\r\nHost:\r\n${KEY}\r\n\r\n`,
  "a second Host after 2500 headers": head("GET /v1/pets HTTP/1.1", ...Array(2500).fill("a:"), "Host: b"),
  "a header without a colon": head("GET /v1/pets HTTP/1.1", CANARY),
  "a header whose name is no token": head("GET /v1/pets HTTP/1.1", `X(Test): ${CANARY}`),
  "a space before the colon of a length": head("GET /v1/pets HTTP/1.1", "Content-Length : 2"),
  "a space before the colon of a transfer coding": head(
    "GET /v1/pets HTTP/1.1",
    "Transfer-Encoding : chunked",
  ),
  "a header folded over two lines": head("GET /v1/pets HTTP/1.1", "X-Test: a", ` ${CANARY}`),
  "a control character in a header": head("GET /v1/pets HTTP/1.1", `X-Test: ${CANARY}\x01`),
  "a NUL in a header": head("GET /v1/pets HTTP/1.1", "X-Test: a\0b"),
  "a bare carriage return in a header": head("GET /v1/pets HTTP/1.1", `X-Test: a\r${CANARY}`),
  "a length that is no number": head("POST /v1/pets HTTP/1.1", `Content-Length: ${CANARY}`),
  "a length in hexadecimal": head("POST /v1/pets HTTP/1.1", "Content-Length: 0x10"),
  "a length with a sign": head("POST /v1/pets HTTP/1.1", "Content-Length: +2"),
  "a negative length": head("POST /v1/pets HTTP/1.1", "Content-Length: -1"),
  "a length past 64 bits": head("POST /v1/pets HTTP/1.1", "Content-Length: 99999999999999999999"),
  "two lengths": `${head("POST /v1/pets HTTP/1.1", "Content-Length: 2", "Content-Length: 3")}{}`,
  "the same length twice": `${head("POST /v1/pets HTTP/1.1", "Content-Length: 2", "Content-Length: 2")}{}`,
  "a list of lengths": `${head("POST /v1/pets HTTP/1.1", "Content-Length: 2, 2")}{}`,
  "a length beside a transfer coding": `${head("POST /v1/pets HTTP/1.1", "Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  "a transfer coding beside a length": `${head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: chunked", "Content-Length: 4")}0\r\n\r\n`,
  "an unknown transfer coding": head("POST /v1/pets HTTP/1.1", `Transfer-Encoding: ${CANARY}`),
  "the transfer coding gzip, chunked": `${head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: gzip, chunked")}0\r\n\r\n`,
  "the transfer coding gzip in a header of its own": `${head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  "the transfer coding chunked, gzip": `${head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: chunked, gzip")}0\r\n\r\n`,
  "the transfer coding chunked twice": `${head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: chunked, chunked")}0\r\n\r\n`,
  "the transfer coding identity": head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: identity"),
  "a transfer coding on a GET": `${head("GET /v1/pets HTTP/1.1", "Transfer-Encoding: gzip, chunked")}0\r\n\r\n`,
  "another expectation": head("POST /v1/pets HTTP/1.1", `Expect: ${CANARY}`, "Content-Length: 0"),
  "another expectation beside 100-continue": head("GET /v1/pets HTTP/1.1", "Expect: 100-continue, x"),
};

for (const host of [
  "a b",
  "a,b",
  "a/b",
  "user@a",
  "a:b",
  "a:80:80",
  "[::1",
  "::1",
  "a\xe9",
  '"a"',
  "http://a",
]) {
  MALFORMED[`the Host ${host}`] = `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\n${KEY}\r\n\r\n`;
}

const CHUNKED = head(
  "POST /v1/pets HTTP/1.1",
  "Content-Type: application/json",
  "Transfer-Encoding: chunked",
);
for (const chunks of [
  "zz\r\n",
  "-1\r\n",
  "+5\r\n",
  "0x5\r\nhello\r\n",
  "5\r\nhelloworld\r\n",
  "1 \r\n{\r\n",
  "ffffffffffffffffff\r\n",
  "\r\n",
  `0\r\n${CANARY}\r\n\r\n`,
]) {
  MALFORMED[`the chunk ${JSON.stringify(chunks)}`] = CHUNKED + chunks;
}

describe("A request that is not HTTP/1.1", () => {
  const app = useApp();
  afterEach(async () => {
    expect(await app().repository.list({ status: undefined, after: 0n, limit: 1 })).to.deep.equal([]);
  });

  for (const [what, bytes] of Object.entries(MALFORMED)) {
    it(`is answered with 400 malformed_request: ${what}`, async () => {
      expectError(await exchange(app().port, bytes), 400, "malformed_request");
    });
  }

  it("gets the same answer if it arrives in pieces", async () => {
    const connection = await RawConnection.open(app().port);
    for (const piece of ["GET /v1/p", "ets HT", "TP/1.1\r\nHo", `st\0: ${CANARY}`, "\r\n\r\n"]) {
      connection.send(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expectError(await connection.answer(), 400, "malformed_request");
    expect(await connection.rest()).to.equal("");
  });

  for (const malformed of ["BAD\r\n\r\n", MALFORMED["the transfer coding identity"]]) {
    it(`ends its connection, and no later request on it is served: ${JSON.stringify(malformed?.slice(0, 4))}`, async () => {
      const connection = await RawConnection.open(app().port);
      connection.send(`${malformed}${head("GET /v1/pets HTTP/1.1")}`);
      const answer = await connection.answer();
      expectError(answer, 400, "malformed_request");
      expect(answer.headers.connection).to.equal("close");
      connection.send(head("GET /v1/pets HTTP/1.1"));
      expect(await connection.rest()).to.equal("");
    });
  }

  it("ends its connection soon, whatever the client goes on to send", async () => {
    const connection = await RawConnection.open(app().port);
    connection.send("BAD\r\n\r\n");
    expectError(await connection.answer(), 400, "malformed_request");
    const deadline = Date.now() + 4000;
    while (!connection.isGone && Date.now() < deadline) {
      connection.send("x");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(connection.isGone).to.equal(true);
  });

  it("is answered with 400 if the client ends in the middle of a head or of a body", async () => {
    const whole = `${head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Content-Length: 40")}{"name":"a","categoryId":1}`;
    for (const length of [10, 60, whole.length]) {
      const connection = await RawConnection.open(app().port);
      connection.send(whole.slice(0, length)).finishSending();
      expectError(await connection.answer(), 400, "malformed_request");
      expect(await connection.rest()).to.equal("");
    }
  });

  it("may be one whose body ends in the middle of its chunks", async () => {
    const connection = await RawConnection.open(app().port);
    connection.send(`${CHUNKED}1b\r\n{"name":"a","categoryId":1}\r\n`).finishSending();
    expectError(await connection.answer(), 400, "malformed_request");
    connection.close();
  });
});

describe("A head", () => {
  const app = useApp();
  const padded = (length: number) => {
    const bare = head("GET /v1/pets HTTP/1.1", "X-Padding: ");
    return bare.replace("X-Padding: ", `X-Padding: ${"x".repeat(length - bare.length)}`);
  };

  it("of less than 16 KiB is read", async () => {
    expect((await exchange(app().port, padded(16_000))).status).to.equal(200);
  });

  it("of more than 16 KiB is answered with 431 headers_too_large, however much is sent", async () => {
    for (const length of [17_000, 100_000, 2_000_000]) {
      const connection = await RawConnection.open(app().port);
      connection.send(padded(length));
      await new Promise((resolve) => setTimeout(resolve, 20));
      expectError(await connection.answer(), 431, "headers_too_large");
      connection.close();
    }
  });

  it("with too long a target is answered with 431", async () => {
    const target = `/v1/pets?status=${CANARY.repeat(2000)}`;
    expectError(await exchange(app().port, head(`GET ${target} HTTP/1.1`)), 431, "headers_too_large");
  });

  it("with too many headers is answered with 431", async () => {
    const many = Array(9000).fill("a: b");
    expectError(await exchange(app().port, head("GET /v1/pets HTTP/1.1", ...many)), 431, "headers_too_large");
  });

  it("may have any valid Host, an empty one too, which changes nothing", async () => {
    for (const host of [
      "",
      "petstore.test",
      "petstore.test:80",
      "petstore.test:",
      "127.0.0.1:1",
      "[::1]:3000",
      "[fe80::1]",
      "a_b",
    ]) {
      const { status, text } = await exchange(
        app().port,
        `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\n${KEY}\r\n\r\n`,
      );
      expect([status, text], host).to.deep.equal([200, "[]"]);
    }
  });

  it("of HTTP/1.0 needs no Host, and its connection ends after the answer", async () => {
    const connection = await RawConnection.open(app().port);
    connection.send(`GET /v1/pets HTTP/1.0\r\n${KEY}\r\n\r\n`);
    const { status, headers } = await connection.answer();
    expect([status, headers.connection]).to.deep.equal([200, "close"]);
    expect(await connection.rest()).to.equal("");
  });

  it("may begin with an empty line (RFC 9112, section 2.2)", async () => {
    expect((await exchange(app().port, `\r\n${head("GET /v1/pets HTTP/1.1")}`)).status).to.equal(200);
  });
});
