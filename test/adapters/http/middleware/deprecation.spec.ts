import { expect } from "chai";
import { type Answer, get, post, send } from "../../../support/client.js";
import { useApp } from "../../../support/use-app.js";

function expectDeprecation({ headers }: Answer, origin = ""): void {
  // RFC 9745: a structured-field date, the first release.
  expect(headers.deprecation).to.equal("@1795219200");
  expect(headers.sunset).to.equal("Thu, 05 Dec 2030 00:00:00 GMT");
  expect(headers.link).to.contain(`<${origin}/v1/pets?status=available>; rel="successor-version"`);
  expect(headers.link).to.match(/<[^<>]*\/docs[^<>]*>; rel="deprecation"/);
}

describe("The deprecation of GET /v1/pets/{petId}", () => {
  const app = useApp();
  const removed = useApp({ getPetServed: false });
  const origin = "https://pets.example.org";
  const elsewhere = useApp({ publicUrl: origin });
  before(() => post(app(), '{"name":"Rex","categoryId":1}'));

  const twoHosts = (target: string) => get(app(), target, { headers: { Host: ["a.test", "b.test"] } });
  for (const [what, status, ask] of [
    ["200", 200, () => get(app(), "/v1/pets/1?x=/v1/pets")],
    ["404", 404, () => get(app(), "/v1/pets/2")],
    ["404 for a malformed petId", 404, () => get(app(), "/v1/pets/%20")],
    ["400", 400, () => twoHosts("/v1/pets/1?x=y")],
    ["400 even if the target is a whole URL", 400, () => twoHosts("HTTP://petstore.test/v1/pets/1")],
    ["401 without a key", 401, () => get(app(), "/v1/pets/1", { key: null })],
    ["401 for a wrong key", 401, () => get(app(), "/v1/pets/1", { key: "wrong" })],
    ["406", 406, () => get(app(), "/v1/pets/1", { headers: { Accept: "text/html" } })],
    ["410, once the operation is turned off", 410, () => get(removed(), "/v1/pets/1")],
    ["HEAD", 200, () => send(app(), "HEAD", "/v1/pets/1")],
  ] as const) {
    it(`is announced on ${what}`, async () => {
      const answer = await ask();
      expect(answer.status).to.equal(status);
      expectDeprecation(answer);
    });
  }

  it("is announced with absolute links if a public URL is set", async () => {
    expectDeprecation(await get(elsewhere(), "/v1/pets/1", { headers: { Host: "evil.test" } }), origin);
  });

  it("is known to those who count requests", async () => {
    const told: boolean[] = [];
    app().app.on("requestFinished", ({ isDeprecated }) => told.push(isDeprecated));
    for (const path of ["/v1/pets/1", "/v1/pets"]) await get(app(), path);
    expect(told).to.deep.equal([true, false]);
  });

  for (const [method, path] of [
    ["GET", "/v1/pets?limit=1"],
    ["GET", "/v1/pets/1/"],
    ["OPTIONS", "/v1/pets/1"],
  ] as const) {
    it(`is announced on no other operation: ${method} ${path}`, async () => {
      const { headers } = await send(app(), method, path);
      expect(headers).not.to.have.any.keys("deprecation", "sunset");
      expect(headers.link ?? "").not.to.contain("deprecation");
    });
  }
});
