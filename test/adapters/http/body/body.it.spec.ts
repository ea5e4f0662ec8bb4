import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { exchange, head, RawConnection } from "../../../support/raw-http.js";
import { describeApp, useApp } from "../../../support/use-app.js";

const BODY = '{"name":"Rex","categoryId":1}';

/** A body of exactly this many bytes, valid in every other respect. */
function bodyOf(length: number): string {
  return BODY.replace("}", `,"x":"${"y".repeat(length - BODY.length - 7)}"}`);
}

function chunked(...chunks: string[]): string {
  const texts = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return `${head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Transfer-Encoding: chunked")}${texts.join("")}`;
}

describe("The media type of a body", () => {
  const app = useApp();
  const typed = (type: string | string[], body: string | Buffer = BODY) =>
    post(app(), body, { headers: { "Content-Type": type } });

  for (const type of [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'application/json ; charset="utf-8"',
    "application/json;",
  ]) {
    it(`may be ${type}`, async () => {
      expect((await typed(type)).status).to.equal(201);
    });
  }

  for (const type of [
    "",
    "text/plain",
    "text/json",
    "json",
    "*/*",
    "application/*",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/vnd.api+json",
    "application/csp-report",
    "application/x-www-form-urlencoded",
    `multipart/form-data; boundary=${CANARY}`,
    "application/jsonx",
    "application/json, text/plain",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    `application/json; charset=${CANARY}`,
    "application/json; charset=utf-8; charset=latin1",
    "application/json charset=utf-8",
    ["application/json", "application/json"],
  ]) {
    it(`is refused with 415 unsupported_media_type if it is ${JSON.stringify(type)}`, async () => {
      expectError(await typed(type), 415, "unsupported_media_type");
    });
  }

  it("must be given: a body without a media type is 415", async () => {
    expectError(await send(app(), "POST", "/v1/pets", { body: BODY }), 415, "unsupported_media_type");
  });

  for (const coding of ["gzip", "br", "deflate", "identity", "x-gzip", "", CANARY]) {
    it(`must not have the Content-Encoding "${coding}": 415`, async () => {
      const headers = { "Content-Encoding": coding };
      expectError(await post(app(), BODY, { headers }), 415, "unsupported_media_type");
      expectError(await post(app(), gzipSync(BODY), { headers }), 415, "unsupported_media_type");
    });
  }

  it("is checked before the body is read", async () => {
    const request = head("POST /v1/pets HTTP/1.1", "Content-Type: text/plain", "Content-Length: 999999999");
    expectError(await exchange(app().port, request), 415, "unsupported_media_type");
  });
});

describe("No body", () => {
  const app = useApp();

  it("is 400 missing_body, with and without a media type", async () => {
    expectError(await send(app(), "POST", "/v1/pets"), 400, "missing_body");
    expectError(await send(app(), "POST", "/v1/pets", { body: "" }), 400, "missing_body");
    expectError(await post(app(), ""), 400, "missing_body");
    const { port } = app();
    expectError(await exchange(port, head("POST /v1/pets HTTP/1.1")), 400, "missing_body");
    expectError(
      await exchange(port, head("POST /v1/pets HTTP/1.1", "Content-Length: 000")),
      400,
      "missing_body",
    );
  });

  it("in chunks is 400 missing_body as well, if its type is right", async () => {
    expectError(await exchange(app().port, `${chunked()}0\r\n\r\n`), 400, "missing_body");
    const untyped = head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: chunked");
    expectError(await exchange(app().port, `${untyped}0\r\n\r\n`), 415, "unsupported_media_type");
  });
});

describeApp("The size of a body", (app) => {
  it("may be 16384 bytes, and 16385 are 413 body_too_large", async () => {
    expect(bodyOf(16384)).to.have.length(16384);
    expect((await post(app(), bodyOf(16384))).status).to.equal(201);
    expectError(await post(app(), bodyOf(16385)), 413, "body_too_large");
    expect(JSON.parse((await get(app(), "/v1/pets")).text)).to.have.length(1);
  });

  it("is limited in chunks as well", async () => {
    const { port } = app();
    const whole = bodyOf(16384);
    expect(
      (await exchange(port, `${chunked(whole.slice(0, 9000), whole.slice(9000))}0\r\n\r\n`)).status,
    ).to.equal(201);
    expectError(await exchange(port, `${chunked(whole, " ")}0\r\n\r\n`), 413, "body_too_large");
    expect(JSON.parse((await get(app(), "/v1/pets")).text)).to.have.length(1);
  });

  it("counts bytes, not characters", async () => {
    const name = "é".repeat(200);
    const padding = "é".repeat(8000);
    expectError(await post(app(), JSON.stringify({ name, categoryId: 1, padding })), 413, "body_too_large");
  });
});

describe("Too large a body", () => {
  const app = useApp();
  const declared = head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Content-Length: 500000");

  it("of a known length is refused before it is sent", async () => {
    expectError(await exchange(app().port, declared), 413, "body_too_large");
  });

  for (const [how, start, piece, end] of [
    ["of a known length", declared, "x".repeat(25_000), ""],
    ["in chunks", chunked(), `61a8\r\n${"x".repeat(25_000)}\r\n`, "0\r\n\r\n"],
  ] as const) {
    it(`${how} is read on, so that its connection goes on`, async () => {
      const connection = await RawConnection.open(app().port);
      connection.send(start);
      for (let sent = 0; sent < 20; sent++) connection.send(piece);
      connection.send(end + head("GET /v1/store/orders HTTP/1.1"));
      expectError(await connection.answer(), 413, "body_too_large");
      expect((await connection.answer()).status).to.equal(200);
      connection.close();
    });
  }

  it("that never ends is cut off once its client could read the answer", async () => {
    for (const [start, piece] of [
      [declared.replace("500000", "9999999999"), "x".repeat(65_536)],
      [chunked(), `10000\r\n${"x".repeat(65_536)}\r\n`],
    ] as const) {
      const connection = await RawConnection.open(app().port);
      connection.send(start);
      // 4 MiB: more than the service reads after a refusal.
      for (let sent = 0; sent < 64; sent++) connection.send(piece);
      expectError(await connection.answer(), 413, "body_too_large");
      expect(await connection.rest()).to.equal("");
      connection.close();
    }
  });

  it("is read on after any other refusal too", async () => {
    const connection = await RawConnection.open(app().port);
    connection.send("POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n");
    connection.send("x".repeat(500_000) + head("GET /v1/store/orders HTTP/1.1"));
    expectError(await connection.answer(), 401, "missing_credentials");
    expect((await connection.answer()).status).to.equal(200);
    connection.close();
  });
});

describe("A body in chunks", () => {
  const app = useApp();

  it("is read, whatever its pieces, extensions and trailers are", async () => {
    const { port } = app();
    for (const request of [
      `${chunked(...BODY)}0\r\n\r\n`,
      `${chunked(BODY)}0\r\nX-Trailer: ${CANARY}\r\n\r\n`,
      `${chunked()}1D;name="value"\r\n${BODY}\r\n0;last\r\n\r\n`,
      `${chunked()}00000000000000001d\r\n${BODY}\r\n000\r\n\r\n`,
    ]) {
      expect((await exchange(port, request)).status, request).to.equal(201);
    }
  });

  it("with endless extensions or trailers is refused", async () => {
    const { port } = app();
    const extended = `${chunked()}1d;${"x".repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`;
    expectError(await exchange(port, extended), 413, "body_too_large");
    const trailing = `${chunked(BODY)}0\r\nX-Trailer: ${"x".repeat(20_000)}\r\n\r\n`;
    expectError(await exchange(port, trailing), 431, "headers_too_large");
  });
});

describe("Expect: 100-continue", () => {
  const app = useApp();
  const expecting = (...lines: string[]) => head("POST /v1/pets HTTP/1.1", "Expect: 100-continue", ...lines);
  const JSON_BODY = ["Content-Type: application/json", `Content-Length: ${BODY.length}`];

  it("is answered with 100 before a body that the service takes, and with 201 after the body", async () => {
    for (const expectation of ["100-continue", "100-Continue"]) {
      const connection = await RawConnection.open(app().port);
      connection.send(expecting(...JSON_BODY).replace("100-continue", expectation));
      expect((await connection.answer()).status).to.equal(100);
      connection.send(BODY);
      expect((await connection.answer()).status).to.equal(201);
      connection.close();
    }
  });

  it("gets its answer at once, without 100, if the body would be refused", async () => {
    const { port } = app();
    const withoutKey = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`;
    expectError(await exchange(port, withoutKey), 401, "missing_credentials");
    const tooLarge = expecting("Content-Type: application/json", "Content-Length: 16385");
    expectError(await exchange(port, tooLarge), 413, "body_too_large");
    const otherType = expecting("Content-Type: text/plain", "Content-Length: 9");
    expectError(await exchange(port, otherType), 415, "unsupported_media_type");
    expectError(await exchange(port, expecting()), 400, "missing_body");
    const elsewhere = expecting(...JSON_BODY).replace("/v1/pets", "/v1/nowhere");
    expectError(await exchange(port, elsewhere), 404, "route_not_found");
  });

  it("is answered 200 without 100 on a GET", async () => {
    const request = expecting().replace("POST /v1/pets", "GET /v1/store/orders");
    expect((await exchange(app().port, request)).status).to.equal(200);
  });

  it("of HTTP/1.0 is ignored, as is any other expectation of HTTP/1.0", async () => {
    for (const expectation of ["100-continue", "something-else"]) {
      const request = expecting(...JSON_BODY)
        .replace("HTTP/1.1", "HTTP/1.0")
        .replace("100-continue", expectation);
      expect((await exchange(app().port, request + BODY)).status).to.equal(201);
    }
  });
});
