import { expect } from "chai";
import { get } from "../../../support/client.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { exchange, head, RawConnection } from "../../../support/raw-http.js";
import { useServer } from "../../../support/use-app.js";

const BODY = '{"name":"Rex","categoryId":1}';
const JSON_TYPE = "Content-Type: application/json";
const ORDERS = head("GET /v1/store/orders HTTP/1.1");
const postWith = (...lines: string[]) => head("POST /v1/pets HTTP/1.1", ...lines);

/** A body of exactly this many bytes, valid in every other respect. */
function bodyOf(length: number): string {
  return BODY.replace("}", `,"x":"${"y".repeat(length - BODY.length - 7)}"}`);
}

function chunked(...chunks: string[]): string {
  const texts = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return postWith(JSON_TYPE, "Transfer-Encoding: chunked") + texts.join("");
}

describe("Too large a body", () => {
  const app = useServer();
  const declared = postWith(JSON_TYPE, "Content-Length: 500000");
  const unauthorized = "POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n";
  const inChunks = `61a8\r\n${"x".repeat(25_000)}\r\n`.repeat(20);

  it("of a known length is refused before it is sent", async () => {
    expectError(await exchange(app().port, declared), 413, "body_too_large");
  });

  for (const [how, start, rest, status, code] of [
    ["of a known length", declared, "x".repeat(500_000), 413, "body_too_large"],
    ["in chunks", chunked(), `${inChunks}0\r\n\r\n`, 413, "body_too_large"],
    ["after any other refusal", unauthorized, "x".repeat(500_000), 401, "missing_credentials"],
  ] as const) {
    it(`${how} is read on, so that its connection goes on`, async () => {
      const connection = await RawConnection.open(app().port);
      connection.send(start + rest + ORDERS);
      expectError(await connection.answer(), status, code);
      expect((await connection.answer()).status).to.equal(200);
      connection.close();
    });
  }

  for (const [how, start, piece] of [
    ["of a known length", declared.replace("500000", "9999999999"), "x".repeat(65_536)],
    ["in chunks", chunked(), `10000\r\n${"x".repeat(65_536)}\r\n`],
    ["in chunks of a byte", chunked("x".repeat(16_385)), "1\r\nx\r\n".repeat(100)],
  ] as const) {
    it(`${how} that never ends is cut off once its client could read the answer`, async () => {
      const connection = await RawConnection.open(app().port);
      connection.send(start);
      // 4 MiB: more than the service reads after a refusal.
      for (let sent = 0; sent < 64; sent++) connection.send(piece);
      expectError(await connection.answer(), 413, "body_too_large");
      expect(await connection.rest()).to.equal("");
      connection.close();
    });
  }
});

describe("A body in chunks", () => {
  const app = useServer();

  it("is limited in size as well", async () => {
    const { port } = app();
    const whole = bodyOf(16384);
    const inTwo = `${chunked(whole.slice(0, 9000), whole.slice(9000))}0\r\n\r\n`;
    expect((await exchange(port, inTwo)).status).to.equal(201);
    expectError(await exchange(port, `${chunked(whole, " ")}0\r\n\r\n`), 413, "body_too_large");
    expect(JSON.parse((await get(app(), "/v1/pets")).text)).to.have.length(1);
  });

  it("may have extensions and a trailer, but no endless ones", async () => {
    const { port } = app();
    const odd = `${chunked()}1D;name="value"\r\n${BODY}\r\n0;last\r\nX-Trailer: ${CANARY}\r\n\r\n`;
    expect((await exchange(port, odd)).status).to.equal(201);
    const extended = `${chunked()}1d;${"x".repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`;
    expectError(await exchange(port, extended), 413, "body_too_large");
    const trailing = `${chunked(BODY)}0\r\nX-Trailer: ${"x".repeat(20_000)}\r\n\r\n`;
    expectError(await exchange(port, trailing), 431, "headers_too_large");
  });
});

describe("Expect: 100-continue", () => {
  const app = useServer();
  const expecting = (...lines: string[]) => postWith("Expect: 100-Continue", ...lines);
  const create = expecting(JSON_TYPE, `Content-Length: ${BODY.length}`);
  const withoutKey = "POST /v1/pets HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n";

  it("is answered with 100 before a body that the service takes, and with 201 after the body", async () => {
    const connection = await RawConnection.open(app().port);
    connection.send(create);
    expect((await connection.answer()).status).to.equal(100);
    connection.send(BODY);
    expect((await connection.answer()).status).to.equal(201);
    connection.close();
  });

  for (const [what, request, status, code] of [
    ["a request without a key", withoutKey, 401, "missing_credentials"],
    ["too large a body", expecting(JSON_TYPE, "Content-Length: 16385"), 413, "body_too_large"],
    ["another type", expecting("Content-Type: text/csv", "Content-Length: 9"), 415, "unsupported_media_type"],
    ["no body", expecting(), 400, "missing_body"],
    ["another path", create.replace("/v1/pets", "/v1/nowhere"), 404, "route_not_found"],
  ] as const) {
    it(`is not followed by 100, but at once by the answer to ${what}`, async () => {
      expectError(await exchange(app().port, request), status, code);
    });
  }

  it("is answered 200 without 100 on a GET", async () => {
    const request = expecting().replace("POST /v1/pets", "GET /v1/store/orders");
    expect((await exchange(app().port, request)).status).to.equal(200);
  });
});
