import diagnosticsChannel from "node:diagnostics_channel";
import type { Readable } from "node:stream";
import { expect } from "chai";
import { allowOf } from "../../../support/described.js";
import { arrival } from "../../../support/eventually.js";
import { expectError } from "../../../support/expect-error.js";
import { head, openSocket, RawConnection } from "../../../support/raw-http.js";
import { type Held, hold } from "../../../support/repositories.js";
import { type StartedApp, startApp } from "../../../support/start-app.js";

const createWith = (body: string) =>
  head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", `Content-Length: ${body.length}`) + body;
const chunked = (body: string) =>
  head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Transfer-Encoding: chunked") +
  `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const BODY = '{"name":"Rex","categoryId":1}';
const CREATE = createWith(BODY);
const HELD = head("GET /v1/pets/1 HTTP/1.1");
const FAST = head("GET /v1/store/orders HTTP/1.1");
const OF_1_0 = `${head("POST /v1/pets HTTP/1.0", "Connection: keep-alive", "Transfer-Encoding: chunked")}0\r\n\r\n`;
const CODED = `${head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: gzip, chunked")}0\r\n\r\n`;
const EXPECTING = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n`;
const CHUNKED_WITHOUT_KEY = "POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

describe("Requests on one connection", () => {
  let app: StartedApp;
  let held: Held;
  let connection: RawConnection;
  beforeEach(async () => {
    held = hold("get");
    app = await startApp({ repository: held.repository });
    connection = await RawConnection.open(app.port);
  });
  afterEach(() => {
    connection.close();
    return app.close();
  });

  it("that are pipelined are answered in order", async () => {
    connection.send(CREATE + HELD + FAST + head("GET /v1/nowhere HTTP/1.1") + FAST);
    await arrival();
    held.open();
    const statuses = [];
    for (let answer = 0; answer < 5; answer++) statuses.push((await connection.answer()).status);
    expect(statuses).to.deep.equal([201, 200, 200, 404, 200]);
  });

  for (const [what, bytes, status, code] of [
    ["a malformed request", "BAD\r\n\r\n", 400, "malformed_request"],
    ["an unknown coding", head("GET / HTTP/1.1", "Transfer-Encoding: identity"), 400, "malformed_request"],
    ["an unknown method", head("FETCH /v1/pets HTTP/1.1"), 405, "method_not_allowed"],
    ["too large a head", head("GET / HTTP/1.1", `X: ${"x".repeat(20_000)}`), 431, "headers_too_large"],
  ] as const) {
    it(`have their answers before ${what} has its own, and are no longer served after it`, async () => {
      connection.send(HELD + HELD + bytes);
      await arrival();
      connection.send(CREATE);
      await arrival();
      held.open();
      expectError(await connection.answer(), 404, "pet_not_found");
      expectError(await connection.answer(), 404, "pet_not_found");
      const refused = await connection.answer();
      expectError(refused, status, code);
      expect(refused.headers.connection).to.equal("close");
      expect(await connection.rest()).to.equal("");
      expect(await app.repository.list({ status: undefined, after: 0n, limit: 1 })).to.deep.equal([]);
    });
  }

  it("are dropped behind a refusal, but taken, so that its client can read it", async () => {
    const socket = await openSocket(app.port, `${HELD}BAD\r\n\r\n`);
    const failure = new Promise((resolve) => socket.write(CREATE.repeat(30_000), resolve));
    await arrival();
    held.open();
    expect(await failure).to.equal(null);
    socket.destroy();
    expect(await app.repository.list({ status: undefined, after: 0n, limit: 1 })).to.deep.equal([]);
  });

  it("do not arrive while nobody reads their bodies", async () => {
    let request: Readable | undefined;
    const begun = (message: unknown) => (request = (message as { request: Readable }).request);
    diagnosticsChannel.subscribe("http.server.request.start", begun);
    connection.send(HELD.replace("Host", "Content-Length: 900000\r\nHost") + "x".repeat(900_000));
    await arrival();
    diagnosticsChannel.unsubscribe("http.server.request.start", begun);
    expect(request?.readableLength).to.be.within(1, 200_000);
    held.open();
    expectError(await connection.answer(), 404, "pet_not_found");
    connection.send(FAST);
    expect((await connection.answer()).status).to.equal(200);
  });

  for (const body of [BODY, `${BODY}\r\n\r\n`, "x"]) {
    it(`have 405 for an unknown method right after the body ${JSON.stringify(body)}`, async () => {
      connection.send(createWith(body) + head("FETCH /v1/pets HTTP/1.1"));
      expect([201, 400]).to.include((await connection.answer()).status);
      const refused = await connection.answer();
      expectError(refused, 405, "method_not_allowed");
      expect(refused.headers.allow).to.equal(allowOf());
    });
  }

  for (const [status, request] of [
    [415, `${head("POST /v1/pets HTTP/1.1", "Content-Length: 2")}{}`],
    [400, head("GET /v1/pets?limit=0 HTTP/1.1")],
    [400, head("GET /v1/pets HTTP/1.1", "Host: two")],
    [401, "GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n"],
  ] as const) {
    it(`go on after ${status} for ${JSON.stringify(request.slice(0, 30))}`, async () => {
      connection.send(request);
      expect((await connection.answer()).status).to.equal(status);
      connection.send(FAST);
      expect((await connection.answer()).status).to.equal(200);
    });
  }

  it("get one answer each, even if a body fails after its request was refused", async () => {
    connection.send(CHUNKED_WITHOUT_KEY);
    expectError(await connection.answer(), 401, "missing_credentials");
    connection.send("zz\r\n");
    expect(await connection.rest()).to.equal("");
  });

  it("get one answer each, even if a body fails before its request has its turn", async () => {
    connection.send(HELD + CHUNKED_WITHOUT_KEY);
    await arrival();
    connection.send("zz\r\n");
    await arrival();
    held.open();
    expectError(await connection.answer(), 404, "pet_not_found");
    expectError(await connection.answer(), 400, "malformed_request");
    expect(await connection.rest()).to.equal("");
  });

  it("end at a CONNECT, behind the answers to those before", async () => {
    connection.send(CREATE + FAST + head("CONNECT petstore.test:80 HTTP/1.1"));
    expect((await connection.answer()).status).to.equal(201);
    expect((await connection.answer()).status).to.equal(200);
    expect(await connection.rest()).to.equal("");
  });

  for (const [what, malformed] of [
    ["a malformed HEAD", "HEAD /v1/pets HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n"],
    ["a malformed HEAD behind empty lines", "\r\n\r\nHEAD /v1/pets HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n"],
    ["a HEAD with a malformed body", `${head("HEAD /v1/pets HTTP/1.1", "Transfer-Encoding: chunked")}zz\r\n`],
  ] as const) {
    it(`get no body in the answer to ${what} behind others`, async () => {
      connection.send(FAST + malformed);
      expect((await connection.answer()).status).to.equal(200);
      expect(await connection.rest()).to.match(/^HTTP\/1\.1 (?:400|200) .*\r\n\r\n$/s);
    });
  }

  it("are told apart in whatever parts the empty line between them comes", async () => {
    const bytes = `${FAST}${chunked(BODY)}${FAST}`;
    const ends = [FAST.length, bytes.length - FAST.length];
    for (const end of ends) {
      for (let parts = 1; parts < 16; parts++) {
        const split = await RawConnection.open(app.port);
        // Each bit says whether a packet ends behind one of the last four bytes.
        let begun = 0;
        for (let bit = 0; bit < 4; bit++) {
          if (!(parts & (1 << bit))) continue;
          split.send(bytes.slice(begun, end - 3 + bit));
          begun = end - 3 + bit;
          await new Promise((resolve) => setTimeout(resolve, 3));
        }
        split.send(bytes.slice(begun));
        for (const status of [200, 201, 200]) expect((await split.answer()).status).to.equal(status);
        split.close();
      }
    }
  });

  it("may have bodies in chunks with any number of empty lines in a row", async () => {
    connection.send(chunked(BODY.replace(",", `,${"\r\n".repeat(4000)}`)) + FAST);
    expect((await connection.answer()).status).to.equal(201);
    expect((await connection.answer()).status).to.equal(200);
  });

  for (const [what, first] of [
    ["an empty line", `${FAST}\r\n`],
    ["empty lines", `${FAST}\r\n\r\n`],
    ["a body", createWith(BODY)],
    ["chunks", `${head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: chunked")}1\r\nx\r\n0\r\n\r\n`],
    ["trailers", `${head("POST /v1/pets HTTP/1.1", "Transfer-Encoding: chunked")}0\r\nA: b\r\n\r\n`],
  ] as const) {
    it(`have 400 for RTSP behind ${what}, in whatever parts it comes`, async () => {
      const bytes = `${first}POST /v1/pets RTSP/1.1\r\nHost: a\r\n\r\n`;
      for (let cut = first.length - 5; cut <= first.length + 20; cut++) {
        const split = await RawConnection.open(app.port);
        split.send(bytes.slice(0, cut));
        await new Promise((resolve) => setTimeout(resolve, 3));
        split.send(bytes.slice(cut));
        await split.answer();
        expectError(await split.answer(), 400, "malformed_request");
        expect(await split.rest()).to.equal("");
      }
    });
  }

  for (const [what, first, status] of [
    ["Connection: close", head("GET /v1/store/orders HTTP/1.1", "Connection: close"), 200],
    ["an upgrade", head("GET /v1/store/orders HTTP/1.1", "Connection: upgrade", "Upgrade: h2c"), 200],
    ["HTTP/1.0", head("GET /v1/store/orders HTTP/1.0"), 200],
    ["an unknown coding", CODED, 400],
    ["a coding of HTTP/1.0", OF_1_0, 400],
    ["another expectation", head("POST /v1/pets HTTP/1.1", "Expect: a", "Content-Length: 29"), 400],
    ["Expect without its body", EXPECTING, 401],
  ] as const) {
    it(`are not carried out behind ${what}`, async () => {
      connection.send(first + CREATE + CREATE);
      expect((await connection.answer()).status).to.equal(status);
      expect(await connection.rest()).to.equal("");
      expect(await app.repository.list({ status: undefined, after: 0n, limit: 1 })).to.deep.equal([]);
    });
  }

  it("end after Connection: close, also behind a request that keeps the connection", async () => {
    connection.send(FAST + head("GET /v1/store/orders HTTP/1.1", "Connection: close") + FAST);
    expect((await connection.answer()).headers.connection).to.equal("keep-alive");
    expect((await connection.answer()).headers.connection).to.equal("close");
    expect(await connection.rest()).to.equal("");
  });
});

describe("A service that is stopping", () => {
  it("asks with every answer to close the connection", async () => {
    const app = await startApp();
    app.app.stopping = true;
    for (const request of [FAST, head("OPTIONS /v1/pets HTTP/1.1"), head("GET /v1/nowhere HTTP/1.1")]) {
      const connection = await RawConnection.open(app.port);
      expect((await connection.send(request).answer()).headers.connection).to.equal("close");
      expect(await connection.rest()).to.equal("");
    }
    await app.close();
  });
});
