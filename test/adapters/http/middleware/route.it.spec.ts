import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { allowOf } from "../../../support/described.js";
import { expectError, FIXED_HEADERS } from "../../../support/expect-error.js";
import { exchange, head, RawConnection } from "../../../support/raw-http.js";
import { useServer } from "../../../support/use-app.js";

/** The methods of each path, as Allow lists them. */
const ALLOW = {
  "/v1/pets": allowOf("/pets"),
  "/v1/pets/x": allowOf("/pets/{petId}"),
  "/v1/store/orders": allowOf("/store/orders"),
  "/docs": "GET, HEAD, OPTIONS",
};

describe("A path", () => {
  const app = useServer();
  // Sent as it is: a client library might tidy it up.
  const at = (target: string) => exchange(app().port, head(`GET ${target} HTTP/1.1`));

  for (const path of [
    ...["/", "/v1", "/v1//pets", "//v1/pets", "/v1/Pets", "/v1/pets/1/2", "/v1/x/../pets", "/v1/%70ets"],
    ...["/v1/pets%3Flimit=1", "/%", "/?/v1/pets", "http://petstore.test", "http://petstore.test?/v1/pets"],
    `/v1/pets${"/".repeat(8000)}/x`,
  ]) {
    it(`that no operation has is 404 route_not_found, and the message names /docs: ${path.slice(0, 30)}`, async () => {
      const answer = await at(path);
      expectError(answer, 404, "route_not_found");
      expect(answer.text).to.contain("/docs");
    });
  }

  for (const path of ["/v1/pets/", "/v1/pets/1/"]) {
    it(`with a slash at the end is 404 with a hint: ${path}`, async () => {
      const answer = await at(path);
      expectError(answer, 404, "route_not_found");
      expect(answer.text).to.contain("without a slash");
    });
  }

  for (const target of ["HTTP://petstore.test:80/v1/pets?limit=1", "https://[::1]:3000/v1/pets"]) {
    it(`is taken from a target in absolute form: ${target}`, async () => {
      expect((await at(target)).text).to.equal("[]");
    });
  }

  it("and query are told apart at the first question mark", async () => {
    expectError(await at("/v1/pets?limit=1?"), 400, "invalid_parameter");
    expectError(await at("http://petstore.test/v1/pets?limit=0"), 400, "invalid_parameter");
  });
});

describe("HEAD", () => {
  const app = useServer();
  before(async () => {
    for (const name of ["Rex", "Tom"]) await post(app(), `{"name":"${name}","categoryId":1}`);
  });

  for (const path of ["/v1/pets?limit=1", "/v1/pets?limit=0", "/v1/pets/1", "/nowhere"]) {
    it(`answers ${path} as GET does, without a body`, async () => {
      const got = await get(app(), path);
      const headed = await send(app(), "HEAD", path);
      expect([headed.status, headed.text]).to.deep.equal([got.status, ""]);
      const own = { date: "", "x-request-id": "" };
      expect({ ...headed.headers, ...own }).to.deep.equal({ ...got.headers, ...own });
    });
  }

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
});

describe("OPTIONS", () => {
  const app = useServer();

  for (const [path, allow] of Object.entries(ALLOW)) {
    it(`answers 204 with Allow at ${path}`, async () => {
      const { status, headers, text } = await send(app(), "OPTIONS", path);
      expect([status, text, headers.allow]).to.deep.equal([204, "", allow]);
      expect(headers).to.include(FIXED_HEADERS);
      expect(headers).not.to.have.any.keys("content-type", "content-length", "transfer-encoding");
    });
  }

  it("answers * with the methods of the whole service", async () => {
    const { status, headers } = await exchange(app().port, "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
    expect([status, headers.allow]).to.deep.equal([204, allowOf()]);
  });
});

describe("The service", () => {
  const app = useServer();

  for (const [path, allow] of Object.entries(ALLOW)) {
    for (const method of ["PUT", "POST", "PROPFIND"]) {
      if (method === "POST" && allow.includes(method)) continue;
      it(`answers ${method} ${path} with 405 and Allow`, async () => {
        const answer = await exchange(app().port, head(`${method} ${path}?x=1 HTTP/1.1`));
        expectError(answer, 405, "method_not_allowed");
        expect(answer.headers.allow).to.equal(allow);
      });
    }
  }

  const long = `FETCH /${"x".repeat(9000)} HTTP/1.1`;
  for (const line of ["FETCH /v1/pets HTTP/1.1", "pOST /docs HTTP/1.1", "GETX * HTTP/1.1", long]) {
    it(`answers ${line.slice(0, 30)}, of an unknown method, with 405 and Allow of the service`, async () => {
      const answer = await exchange(app().port, head(line));
      expectError(answer, 405, "method_not_allowed");
      expect(answer.headers.allow).to.equal(allowOf());
    });
  }

  it("ignores an Upgrade header", async () => {
    const upgrade = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"];
    const answer = await exchange(app().port, head("GET /v1/store/orders HTTP/1.1", ...upgrade));
    expect([answer.status, answer.text]).to.deep.equal([200, "[]"]);
    // Node's parser would report no fault of a later request.
    expect(answer.headers.connection).to.equal("close");
  });
});
