import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { exchange, head, RawConnection } from "../../../support/raw-http.js";
import { describeApp, useApp } from "../../../support/use-app.js";

/** The methods of each path, as Allow lists them. */
const ALLOW = {
  "/v1/pets": "GET, HEAD, OPTIONS, POST",
  "/v1/pets/1": "GET, HEAD, OPTIONS",
  "/v1/pets/x": "GET, HEAD, OPTIONS",
  "/v1/store/orders": "GET, HEAD, OPTIONS",
};

describeApp("HEAD", (app) => {
  it("answers as GET does, without a body, errors included", async () => {
    await post(app(), '{"name":"Rex","categoryId":1}');
    await post(app(), '{"name":"Tom","categoryId":1}');
    for (const path of [
      "/v1/pets",
      "/v1/pets?limit=1",
      "/v1/pets?limit=0",
      "/v1/pets?state=1",
      "/v1/pets/1",
      "/v1/pets/9",
      "/v1/store/orders",
      "/v1/nowhere",
      "/nowhere",
    ]) {
      const got = await get(app(), path);
      const headed = await send(app(), "HEAD", path);
      expect(headed.status, path).to.equal(got.status);
      expect(headed.text).to.equal("");
      const own = { date: "", "x-request-id": "" };
      expect({ ...headed.headers, ...own }, path).to.deep.equal({ ...got.headers, ...own });
    }
  });

  it("writes no body onto the connection, so that the next answer follows at once", async () => {
    const connection = await RawConnection.open(app().port);
    for (const path of ["/v1/pets", "/v1/pets/9", "/v1/nowhere"]) {
      connection.send(head(`HEAD ${path} HTTP/1.1`));
      expect(Number((await connection.answer({ head: true })).headers["content-length"])).to.be.above(1);
    }
    connection.send(head("GET /v1/pets HTTP/1.1"));
    expect((await connection.answer()).text).to.equal("[]");
    connection.close();
  });

  for (const [what, header, status] of [
    ["a malformed header", "X: \0", 400],
    ["too large a head", `X: ${"x".repeat(20_000)}`, 431],
  ] as const) {
    it(`is answered without a body also for ${what}`, async () => {
      const connection = await RawConnection.open(app().port);
      connection.send(head("HEAD /v1/pets HTTP/1.1", header));
      const answer = await connection.answer({ head: true });
      expect(answer.status).to.equal(status);
      expect(Number(answer.headers["content-length"])).to.be.above(1);
      expect(await connection.rest()).to.equal("");
      connection.close();
    });
  }

  it("is answered 401 without key", async () => {
    const { status, headers, text } = await send(app(), "HEAD", "/v1/pets", { key: null });
    expect([status, text]).to.deep.equal([401, ""]);
    expect(headers["www-authenticate"]).to.equal('Bearer realm="petstore"');
  });
});

describe("OPTIONS", () => {
  const app = useApp();

  for (const [path, allow] of Object.entries(ALLOW)) {
    it(`answers 204 with Allow at ${path}`, async () => {
      const { status, headers, text } = await send(app(), "OPTIONS", path);
      expect([status, text, headers.allow]).to.deep.equal([204, "", allow]);
      expect(headers).not.to.have.any.keys("content-type", "content-length", "transfer-encoding");
    });
  }

  it("answers 404 at a path without an operation", async () => {
    expectError(await send(app(), "OPTIONS", "/v1/nowhere"), 404, "route_not_found");
  });

  it("answers * with the methods of the whole service", async () => {
    for (const request of [head("OPTIONS * HTTP/1.1"), "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"]) {
      const { status, headers } = await exchange(app().port, request);
      expect([status, headers.allow]).to.deep.equal([204, "GET, HEAD, OPTIONS, POST"]);
    }
  });
});

describe("The service", () => {
  const app = useApp();

  for (const [path, allow] of Object.entries(ALLOW)) {
    for (const method of ["DELETE", "PUT", "PATCH", "TRACE", "PROPFIND", "POST", "FETCH", "pOST"]) {
      if (method === "POST" && allow.includes(method)) continue;
      it(`answers ${method} ${path} with 405 and Allow`, async () => {
        const answer = await exchange(app().port, head(`${method} ${path}?x=1 HTTP/1.1`));
        expectError(answer, 405, "method_not_allowed");
        expect(answer.headers.allow).to.equal(allow);
      });
    }
  }

  it("answers an unknown method with 405, and at a path without an operation with Allow of the service", async () => {
    for (const line of ["FETCH /nowhere HTTP/1.1", "FETCH * HTTP/1.1", "CONNECT petstore.test:80 HTTP/1.1"]) {
      const answer = await exchange(app().port, head(line));
      expectError(answer, 405, "method_not_allowed");
      expect(answer.headers.allow).to.equal("GET, HEAD, OPTIONS, POST");
    }
  });

  it("keeps on serving after a CONNECT whose client resets the connection", async () => {
    for (const waits of [true, false]) {
      const connection = await RawConnection.open(app().port);
      connection.send(head("CONNECT petstore.test:80 HTTP/1.1"));
      if (waits) expectError(await connection.answer(), 405, "method_not_allowed");
      connection.reset();
    }
    expect((await get(app(), "/v1/pets")).status).to.equal(200);
  });

  it("ignores an Upgrade header", async () => {
    const upgrade = [
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
    ];
    const answer = await exchange(app().port, head("GET /v1/store/orders HTTP/1.1", ...upgrade));
    expect([answer.status, answer.text]).to.deep.equal([200, "[]"]);
    // Node's parser would report no fault of a later request.
    expect(answer.headers.connection).to.equal("close");
  });
});

describe("A method override", () => {
  const app = useApp();

  it("has no effect: only the request line counts", async () => {
    const headers = { "X-HTTP-Method-Override": "POST", "X-HTTP-Method": "DELETE" };
    expect((await get(app(), "/v1/pets", { headers })).status).to.equal(200);
  });
});
