import { expect } from "chai";
import { type Answer, get, post, send } from "../../../support/client.js";
import { expectError, expectJson } from "../../../support/expect-error.js";
import { type BuiltApp, buildApp, describeApp } from "../../../support/start-app.js";

const PET = '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';

describeApp("GET /v1/pets/{petId}", (app) => {
  beforeEach(() => post(app(), PET));

  for (const petId of ["1", "%31", "1?limit=0&limit=0"]) {
    it(`answers 200 with the pet for ${petId}`, async () => {
      const answer = await get(app(), `/v1/pets/${petId}`);
      expect([answer.status, answer.text]).to.deep.equal([200, PET.replace("{", '{"id":1,')]);
      expectJson(answer);
    });
  }

  for (const petId of ["2", "01", "+1", "1.0", "%201", "%D9%A1", "%zz", "1%2f", "9".repeat(1000)]) {
    it(`answers 404 pet_not_found for ${petId.slice(0, 30)}`, async () => {
      expectError(await get(app(), `/v1/pets/${petId}`), 404, "pet_not_found");
    });
  }
});

describe("The deprecation of GET /v1/pets/{petId}", () => {
  function expectAnnounced({ headers }: Answer, origin = ""): void {
    expect(headers).to.include({
      deprecation: "@1795219200",
      sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
      link:
        `<${origin}/v1/pets?status=available>; rel="successor-version", ` +
        `<${origin}/docs>; rel="deprecation"; type="text/html"`,
    });
  }

  const app = buildApp();
  const full = buildApp({ settings: { PETSTORE_MAX_IN_FLIGHT: 0 } });
  const removed = buildApp({ settings: { PETSTORE_GET_PET: "removed" } });
  before(() => Promise.all([app, removed].map((one) => post(one, PET))));

  for (const [status, service, method, path, options] of [
    [200, app, "GET", "/v1/pets/1"],
    [200, app, "HEAD", "/v1/pets/1"],
    [404, app, "GET", "/v1/pets/%20"],
    [401, app, "GET", "/v1/pets/1?x", { key: null }],
    [400, app, "GET", "http://petstore.test/v1/pets/1", { headers: { Host: ["a.test", "b.test"] } }],
    [406, app, "GET", "/v1/pets/1", { headers: { Accept: "text/html" } }],
    [503, full, "GET", "/v1/pets/1"],
    [410, removed, "GET", "/v1/pets/1"],
    [410, removed, "HEAD", "/v1/pets/x"],
  ] as [number, BuiltApp, string, string, object?][]) {
    it(`is announced on ${status} to ${method} ${path}`, async () => {
      const answer = await send(service, method, path, options);
      expect(answer.status).to.equal(status);
      expectAnnounced(answer);
    });
  }

  it("ends with operation_removed", async () => {
    expectError(await get(removed, "/v1/pets/1"), 410, "operation_removed");
  });

  it("is announced with absolute links if there is a public URL", async () => {
    const origin = "https://pets.example.org";
    const headers = { Host: "evil.test" };
    expectAnnounced(
      await get(buildApp({ settings: { PETSTORE_PUBLIC_URL: origin } }), "/v1/pets/1", { headers }),
      origin,
    );
  });

  it("is told to the metrics, with the key", async () => {
    const service = buildApp();
    for (const path of ["/v1/pets/1", "/v1/pets"]) await get(service, path);
    await get(service, "/v1/pets/1", { key: null });
    expect(await service.metric("petstore_deprecated_requests_total")).to.equal(1);
  });

  it("is announced nowhere else", async () => {
    for (const path of ["GET /v1/pets?x=/v1/pets/1", "GET /v1/pets/1/", "OPTIONS /v1/pets/1"]) {
      const [method = "", target = ""] = path.split(" ");
      const { headers } = await send(app, method, target);
      expect(headers, path).not.to.have.any.keys("deprecation", "sunset", "link");
    }
  });
});
