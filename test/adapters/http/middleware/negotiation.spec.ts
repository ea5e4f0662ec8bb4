import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { useApp } from "../../../support/use-app.js";

describe("The Accept header", () => {
  const app = useApp();

  for (const accept of [
    "application/*",
    "text/html, application/json;q=0.1",
    "Application/JSON; charset=utf-8",
    "",
    ["text/html", "application/json"],
    "text/html, application/json".padEnd(512),
    `application/json${",a/b".repeat(31)}`,
  ]) {
    it(`allows JSON: ${JSON.stringify(accept)}`, async () => {
      expect((await get(app(), "/v1/pets", { headers: { Accept: accept } })).text).to.equal("[]");
    });
  }

  for (const accept of [
    "application/xml, text/*",
    "application/json;q=0, */*",
    ";;;",
    "a/b;".repeat(3000),
    `application/json,${"a/b,".repeat(1100)}`,
    "application/json".padEnd(513),
    `application/json${",a/b".repeat(32)}`,
  ]) {
    it(`rules JSON out, so the answer is 406 not_acceptable: ${JSON.stringify(accept.slice(0, 40))}`, async () => {
      const headers = { Accept: accept };
      expectError(await get(app(), "/v1/store/orders", { headers }), 406, "not_acceptable");
    });
  }

  it("is checked before a pet is stored", async () => {
    const headers = { Accept: "text/html" };
    expectError(await post(app(), '{"name":"a","categoryId":1}', { headers }), 406, "not_acceptable");
    expect(await app().repository.list({ status: undefined, after: 0n, limit: 1 })).to.deep.equal([]);
  });

  it("changes nothing about errors and OPTIONS", async () => {
    const headers = { Accept: "text/html" };
    expectError(await get(app(), "/v1/nowhere", { headers }), 404, "route_not_found");
    expectError(await send(app(), "PUT", "/v1/pets", { headers }), 405, "method_not_allowed");
    expect((await send(app(), "OPTIONS", "/v1/pets", { headers })).status).to.equal(204);
  });
});

describe("Accept-Encoding, Accept-Charset, Accept-Language, Range, conditions and method overrides", () => {
  const app = useApp();

  it("change nothing about the answer", async () => {
    const headers = {
      "Accept-Encoding": "gzip, br, identity;q=0",
      "Accept-Charset": "latin1",
      "Accept-Language": "xx",
      Range: "bytes=0-0",
      "If-None-Match": "*",
      "If-Modified-Since": "Thu, 05 Dec 2030 00:00:00 GMT",
      "X-HTTP-Method-Override": "POST",
    };
    const answer = await get(app(), "/v1/pets", { headers });
    expect([answer.status, answer.text]).to.deep.equal([200, "[]"]);
    expect(answer.headers["content-type"]).to.equal("application/json");
    expect(answer.headers).not.to.have.any.keys("content-encoding", "vary", "etag");
  });
});
