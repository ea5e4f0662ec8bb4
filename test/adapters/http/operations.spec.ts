import { expect } from "chai";
import { get, post, send } from "../../support/client.js";
import { allowOf } from "../../support/described.js";
import { expectError, FIXED_HEADERS } from "../../support/expect-error.js";
import { buildApp } from "../../support/start-app.js";
import { hold } from "./repositories.js";

const BODY = '{"name":"a","categoryId":1}';

describe("The Accept header", () => {
  const app = buildApp();

  for (const accept of [
    ...["application/*", "text/html, application/json;q=0.1", "Application/JSON; charset=utf-8", ""],
    ["text/html", "application/json"],
  ]) {
    it(`allows JSON: ${JSON.stringify(accept)}`, async () => {
      expect((await get(app, "/v1/pets", { headers: { Accept: accept } })).text).to.equal("[]");
    });
  }

  for (const accept of ["application/xml, text/*", "application/json;q=0, */*", ";;;"]) {
    it(`rules JSON out: ${accept.slice(0, 30)}`, async () => {
      const headers = { Accept: accept };
      expectError(await post(app, BODY, { headers }), 406, "not_acceptable");
      expect((await get(app, "/v1/pets")).text).to.equal("[]");
      expectError(await get(app, "/v1/nowhere", { headers }), 404, "route_not_found");
    });
  }
});

describe("The limit of operations in flight", () => {
  it("rejects more with 503 at once, and frees each place again", async () => {
    const held = hold("list");
    const app = buildApp({ storage: held.storage, settings: { maxInFlight: 2 } });
    const list = () => get(app, "/v1/pets");
    const accepted = [list(), list()];
    while (held.calls < 2) await new Promise(setImmediate);
    expectError(await list(), 503, "overloaded");
    expectError(await get(app, "/v1/pets", { key: null }), 401, "missing_credentials");
    expect((await get(app, "/docs")).status).to.equal(200);
    held.open();
    for (const { status } of await Promise.all(accepted)) expect(status).to.equal(200);
    for (let round = 0; round < 3; round++) expect((await get(app, "/v1/pets/9")).status).to.equal(404);
    expect([held.calls, (await list()).status]).to.deep.equal([2, 200]);
  });
});

describe("A path", () => {
  const ALLOW = {
    "/v1/pets": allowOf("/pets"),
    "/v1/pets/x": allowOf("/pets/{petId}"),
    "/v1/store/orders": allowOf("/store/orders"),
    "/docs": "GET, HEAD, OPTIONS",
  };
  const app = buildApp();
  before(() => post(app, BODY));

  for (const path of ["/", "/v1", "/v1//pets", "/v1/Pets", "/v1/pets/1/2", "/%", "*", "/v1/pets/"]) {
    it(`is 404 with a hint if there is no such operation: ${path}`, async () => {
      const answer = await get(app, path);
      expectError(answer, 404, "route_not_found");
      expect(answer.text).to.contain(/.\/$/.test(path) ? "trailing slash" : "/docs");
    });
  }

  for (const [path, allow] of Object.entries({ ...ALLOW, "*": allowOf() })) {
    it(`responds to OPTIONS with 204 and to other methods with 405, both with Allow: ${path}`, async () => {
      const { status, headers, text } = await send(app, "OPTIONS", path);
      expect([status, text, headers.allow]).to.deep.equal([204, "", allow]);
      expect(headers).to.include(FIXED_HEADERS);
      expect(headers).not.to.have.any.keys("content-type", "content-length", "transfer-encoding");
      if (path === "*") return;
      const answer = await send(app, "PROPFIND", `${path}?x=1`);
      expectError(answer, 405, "method_not_allowed");
      expect(answer.headers.allow).to.equal(allow);
    });
  }

  it("responds to HEAD as to GET, without a body", async () => {
    const got = await get(app, "/v1/pets?limit=1");
    const headed = await send(app, "HEAD", "/v1/pets?limit=1");
    expect([headed.status, headed.text]).to.deep.equal([got.status, ""]);
    const own = { date: "", "x-request-id": "" };
    expect({ ...headed.headers, ...own }).to.deep.equal({ ...got.headers, ...own });
  });
});
