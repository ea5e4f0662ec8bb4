import { expect } from "chai";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import { expectError } from "../../../support/expect-error.js";
import { head, RawConnection } from "../../../support/raw-http.js";
import { type StartedApp, startApp } from "../../../support/start-app.js";

/** Answers `get` slowly, so that requests on one connection wait for each other. */
class SlowRepository extends MemoryPetRepository {
  override async get(id: bigint) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return super.get(id);
  }
}

const BODY = '{"name":"Rex","categoryId":1}';
const CREATE =
  head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", `Content-Length: ${BODY.length}`) + BODY;
const SLOW = head("GET /v1/pets/1 HTTP/1.1");
const FAST = head("GET /v1/store/orders HTTP/1.1");

describe("Requests on one connection", () => {
  let app: StartedApp;
  let connection: RawConnection;
  beforeEach(async () => {
    app = await startApp({ repository: new SlowRepository() });
    connection = await RawConnection.open(app.port);
  });
  afterEach(() => {
    connection.close();
    return app.close();
  });

  it("that are pipelined are answered in order", async () => {
    connection.send(CREATE + SLOW + FAST + head("GET /v1/nowhere HTTP/1.1") + FAST);
    const statuses = [];
    for (let answer = 0; answer < 5; answer++) statuses.push((await connection.answer()).status);
    expect(statuses).to.deep.equal([201, 200, 200, 404, 200]);
  });

  for (const [what, bytes, status, code] of [
    ["a malformed request", "BAD\r\n\r\n", 400, "malformed_request"],
    ["a bad header", head("GET / HTTP/1.1", "bad header"), 400, "malformed_request"],
    ["an unknown method", head("FETCH /v1/pets HTTP/1.1"), 405, "method_not_allowed"],
    ["a CONNECT", head("CONNECT petstore.test:80 HTTP/1.1"), 405, "method_not_allowed"],
    ["too large a head", head("GET / HTTP/1.1", `X: ${"x".repeat(20_000)}`), 431, "headers_too_large"],
  ] as const) {
    it(`have their answers before ${what} that follows them has its own`, async () => {
      connection.send(CREATE + SLOW + SLOW + bytes);
      expect((await connection.answer()).status).to.equal(201);
      expect((await connection.answer()).status).to.equal(200);
      expect((await connection.answer()).status).to.equal(200);
      expectError(await connection.answer(), status, code);
      expect(await connection.rest()).to.equal("");
    });

    it(`are no longer served after ${what}`, async () => {
      connection.send(SLOW + bytes);
      await new Promise((resolve) => setTimeout(resolve, 20));
      connection.send(CREATE);
      expectError(await connection.answer(), 404, "pet_not_found");
      expectError(await connection.answer(), status, code);
      expect(await connection.rest()).to.equal("");
      expect(await app.repository.list({ status: undefined, after: 0n, limit: 1 })).to.deep.equal([]);
    });
  }

  for (const body of [BODY, `${BODY}\n`, `${BODY}\r\n\r\n`, "x", "{"]) {
    it(`have 405 for an unknown method right after the body ${JSON.stringify(body)}`, async () => {
      const type = "Content-Type: application/json";
      const create = head("POST /v1/pets HTTP/1.1", type, `Content-Length: ${body.length}`) + body;
      connection.send(create + create + head("FETCH /v1/pets HTTP/1.1"));
      const first = await connection.answer();
      expect([201, 400]).to.include(first.status);
      expect((await connection.answer()).status).to.equal(first.status);
      const refused = await connection.answer();
      expectError(refused, 405, "method_not_allowed");
      expect(refused.headers.allow).to.equal("GET, HEAD, OPTIONS, POST");
    });
  }

  it("go on after an answer of any 4xx", async () => {
    const refused = [
      ["POST /v1/pets HTTP/1.1", "Content-Length: 0"],
      ["POST /v1/pets HTTP/1.1", "Content-Length: 2"],
      ["GET /v1/pets?limit=0 HTTP/1.1"],
      ["GET /v1/pets?a=%zz HTTP/1.1"],
      ["GET /v1/pets/9 HTTP/1.1"],
      ["DELETE /v1/pets HTTP/1.1"],
      ["GET /v1/pets HTTP/1.1", "Accept: text/html"],
      ["GET /v1/pets#x HTTP/1.1"],
      ["GET /v1/pets HTTP/1.1", "Host: two"],
    ] as const;
    for (const [line, ...lines] of refused) {
      connection.send(head(line, ...lines) + (lines.join().includes("Length: 2") ? "{}" : ""));
      expect((await connection.answer()).status, line).to.be.within(400, 499);
    }
    connection.send("GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n");
    expectError(await connection.answer(), 401, "missing_credentials");
    connection.send(FAST);
    expect((await connection.answer()).status).to.equal(200);
  });

  it("have the body of a GET skipped", async () => {
    connection.send(`${head("GET /v1/store/orders HTTP/1.1", "Content-Length: 5")}GET /${FAST}`);
    expect((await connection.answer()).status).to.equal(200);
    expect((await connection.answer()).status).to.equal(200);
  });

  it("get one answer each, even if a body fails after its request was refused", async () => {
    connection.send("POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    expectError(await connection.answer(), 401, "missing_credentials");
    connection.send("zz\r\n");
    expect(await connection.rest()).to.equal("");
  });

  it("get one answer each, even if the answer to the request whose body fails waits for its turn", async () => {
    connection.send(`${SLOW}POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 30));
    connection.send("zz\r\n");
    expectError(await connection.answer(), 404, "pet_not_found");
    expectError(await connection.answer(), 401, "missing_credentials");
    expect(await connection.rest()).to.equal("");
  });

  it("end after Connection: close", async () => {
    connection.send(head("GET /v1/store/orders HTTP/1.1", "Connection: close") + FAST);
    expect((await connection.answer()).headers.connection).to.equal("close");
    expect(await connection.rest()).to.equal("");
  });

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
