import { expect } from "chai";
import type { Answer } from "../../../support/client.js";
import { get, post, send } from "../../../support/client.js";
import { exchange, head } from "../../../support/raw-http.js";
import { useApp } from "../../../support/use-app.js";

function expectDeprecation({ headers }: Answer, origin = ""): void {
  // RFC 9745: a structured-field date, the first release.
  expect(headers.deprecation).to.equal("@1795219200");
  expect(headers.sunset).to.equal("Thu, 05 Dec 2030 00:00:00 GMT");
  expect(headers.link).to.contain(`<${origin}/v1/pets?status=available>; rel="successor-version"`);
  expect(headers.link).to.match(/<[^<>]*\/docs[^<>]*>; rel="deprecation"/);
}

function expectNoDeprecation({ headers }: Answer): void {
  expect(headers).not.to.have.any.keys("deprecation", "sunset");
  expect(headers.link ?? "").not.to.contain("deprecation");
}

describe("The deprecation of GET /v1/pets/{petId}", () => {
  const app = useApp();
  const removed = useApp({ getPetServed: false });
  const origin = "https://pets.example.org";
  const elsewhere = useApp({ publicUrl: origin });
  before(async () => {
    await post(app(), '{"name":"Rex","categoryId":1}');
  });

  it("is announced on 200", async () => {
    const answer = await get(app(), "/v1/pets/1");
    expect(answer.status).to.equal(200);
    expectDeprecation(answer);
  });

  it("is announced on 404, for a malformed petId too", async () => {
    for (const petId of ["2", "x", "01", "%20"]) {
      const answer = await get(app(), `/v1/pets/${petId}`);
      expect(answer.status).to.equal(404);
      expectDeprecation(answer);
    }
  });

  it("is announced on 400, even if the target is a whole URL", async () => {
    for (const target of [
      "/v1/pets/1",
      "/v1/pets/1?x=y",
      "http://petstore.test/v1/pets/1",
      "HTTP://petstore.test/v1/pets/1",
    ]) {
      const answer = await exchange(app().port, head(`GET ${target} HTTP/1.1`, "Host: another.test"));
      expect(answer.status).to.equal(400);
      expectDeprecation(answer);
    }
  });

  it("is announced on 401, beside WWW-Authenticate", async () => {
    for (const key of [null, "wrong"]) {
      const answer = await get(app(), "/v1/pets/1", { key });
      expect(answer.status).to.equal(401);
      expect(answer.headers).to.have.property("www-authenticate");
      expectDeprecation(answer);
    }
  });

  it("is announced on 406 and with a query", async () => {
    const answer = await get(app(), "/v1/pets/1", { headers: { Accept: "text/html" } });
    expect(answer.status).to.equal(406);
    expectDeprecation(answer);
    expectDeprecation(await get(app(), "/v1/pets/1?x=/v1/pets"));
  });

  it("is announced on HEAD", async () => {
    expectDeprecation(await send(app(), "HEAD", "/v1/pets/1"));
  });

  it("is announced on 410, once the operation is turned off", async () => {
    const answer = await get(removed(), "/v1/pets/1");
    expect(answer.status).to.equal(410);
    expectDeprecation(answer);
  });

  it("is announced with absolute links if a public URL is set", async () => {
    expectDeprecation(await get(elsewhere(), "/v1/pets/1", { headers: { Host: "evil.test" } }), origin);
  });

  it("is announced on no other operation", async () => {
    expectNoDeprecation(await get(app(), "/v1/pets"));
    expectNoDeprecation(await get(app(), "/v1/pets?limit=1"));
    expectNoDeprecation(await get(app(), "/v1/pets/"));
    expectNoDeprecation(await get(app(), "/v1/pets/1/"));
    expectNoDeprecation(await get(app(), "/v1/pets/1/x"));
    expectNoDeprecation(await get(app(), "/v1/store/orders"));
    expectNoDeprecation(await get(app(), "/v1/pets", { key: null }));
    expectNoDeprecation(await post(app(), '{"name":"Rex","categoryId":1}'));
    expectNoDeprecation(await send(app(), "OPTIONS", "/v1/pets/1"));
  });
});
