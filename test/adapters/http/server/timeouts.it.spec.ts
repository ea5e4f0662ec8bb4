import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { TIMEOUTS } from "../../../../src/adapters/http/server/http-server.js";
import { get } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { head, RawConnection } from "../../../support/raw-http.js";
import { useServer } from "../../../support/use-app.js";

const BODY = '{"name":"Rex","categoryId":1}';
const TYPE = "Content-Type: application/json";
const CREATE = head("POST /v1/pets HTTP/1.1", TYPE, `Content-Length: ${BODY.length}`);
const IN_CHUNKS = head("POST /v1/pets HTTP/1.1", TYPE, "Transfer-Encoding: chunked");

describe("Time-outs", () => {
  const app = useServer({ timeouts: { headers: 200, request: 400, keepAlive: 300 } });
  let connection: RawConnection;
  beforeEach(async () => {
    connection = await RawConnection.open(app().port);
  });
  afterEach(async () => {
    connection.close();
    expect((await get(app(), "/v1/pets")).text).to.equal("[]");
  });

  for (const [what, bytes] of [
    ["a head that is never whole", "GET /v1/pets HTTP/1.1\r\nHost: a\r\n"],
    ["a body that is never whole", CREATE + BODY.slice(0, 9)],
    ["a body that never begins", CREATE],
    ["a chunk that never ends", `${IN_CHUNKS}9\r\n{`],
    ["no byte at all", ""],
  ] as const) {
    it(`answer ${what} with 408 request_timeout, and end the connection`, async () => {
      connection.send(bytes);
      const answer = await connection.answer();
      expectError(answer, 408, "request_timeout");
      expect(answer.headers.connection).to.equal("close");
      expect(await connection.rest()).to.equal("");
    });
  }

  for (const [what, start, slow] of [
    ["a head", "", head("GET /v1/pets HTTP/1.1")],
    ["a body", CREATE, BODY],
  ] as const) {
    it(`hold for ${what} that comes byte by byte`, async () => {
      connection.send(start);
      const answer = connection.answer();
      let answered = false;
      answer.finally(() => (answered = true));
      for (const byte of slow) {
        if (answered) break;
        connection.send(byte);
        await sleep(20);
      }
      expectError(await answer, 408, "request_timeout");
    });
  }

  it("keep a request that was answered 408 from being carried out, even if its rest arrives", async () => {
    connection.send(CREATE);
    expectError(await connection.answer(), 408, "request_timeout");
    connection.send(BODY + CREATE + BODY);
    await sleep(100);
    expect(await connection.rest()).to.equal("");
  });

  it("end an idle connection without an answer", async () => {
    connection.send(head("GET /v1/store/orders HTTP/1.1"));
    expect((await connection.answer()).status).to.equal(200);
    expect(await connection.rest()).to.equal("");
  });

  it("are 10 s for a head, 30 s for a request and at most 60 s for an unread answer by default", () => {
    expect(TIMEOUTS).to.include({ headers: 10_000, request: 30_000, stalled: 30_000 });
  });
});
