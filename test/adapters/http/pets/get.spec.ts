import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { expectError, expectJson } from "../../../support/expect-error.js";
import { type BuiltApp, buildApp } from "../../../support/start-app.js";

const PET = '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';

describe("GET /v1/pets/{petId}", () => {
  const app = buildApp();
  const removed = buildApp({ settings: { getPet: "removed" } });
  const origin = "https://pets.example.org";
  const published = buildApp({ settings: { publicUrl: origin } });
  before(() => post(app, PET));

  for (const petId of ["1", "%31", "1?limit=0&limit=0"]) {
    it(`returns 200 with the pet for ${petId}`, async () => {
      const answer = await get(app, `/v1/pets/${petId}`);
      expect([answer.status, answer.text]).to.deep.equal([200, PET.replace("{", '{"id":1,')]);
      expectJson(answer);
    });
  }

  for (const petId of ["01", "+1", "1.0", "%201", "%D9%A1", "%zz", "1%2f", "9".repeat(1000)]) {
    it(`returns 404 pet_not_found for ${petId.slice(0, 30)}`, async () => {
      expectError(await get(app, `/v1/pets/${petId}`), 404, "pet_not_found");
    });
  }

  for (const [status, service, method, path, options] of [
    [200, app, "HEAD", "/v1/pets/1"],
    [401, app, "GET", "http://petstore.test/v1/pets/1?x", { key: null }],
    [400, app, "GET", "/v1/pets/1", { headers: { Host: ["a.test", "b.test"] } }],
    [410, removed, "GET", "/v1/pets/1"],
    [404, published, "GET", "/v1/pets/1", { headers: { Host: "evil.test" } }],
  ] as [number, BuiltApp, string, string, object?][]) {
    it(`announces its removal on ${status} to ${method} ${path}`, async () => {
      const answer = await send(service, method, path, options);
      const base = service === published ? origin : "";
      expect(answer.status).to.equal(status);
      expect(answer.headers).to.include({
        deprecation: "@1795219200",
        sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
        link:
          `<${base}/v1/pets?status=available>; rel="successor-version", ` +
          `<${base}/docs>; rel="deprecation"; type="text/html"`,
      });
    });
  }

  it("is not announced on other operations, paths and methods", async () => {
    for (const path of ["GET /v1/pets", "GET /v1/pets/1/", "OPTIONS /v1/pets/1"]) {
      const [method = "", target = ""] = path.split(" ");
      const { headers } = await send(app, method, target);
      expect(headers, path).not.to.have.any.keys("deprecation", "sunset", "link");
    }
  });
});
