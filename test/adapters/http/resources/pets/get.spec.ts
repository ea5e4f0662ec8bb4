import { expect } from "chai";
import { get, post, send } from "../../../../support/client.js";
import { expectError, expectJson } from "../../../../support/expect-error.js";
import { describeApp, useApp } from "../../../../support/use-app.js";

describeApp("GET /v1/pets/{petId}", (app) => {
  beforeEach(() => post(app(), '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}'));

  it("answers 200 with the pet", async () => {
    const answer = await get(app(), "/v1/pets/1");
    expect(answer.status).to.equal(200);
    expectJson(answer);
    expect(answer.text).to.equal('{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}');
  });

  it("reads a percent-encoded id, and ignores a query", async () => {
    expect((await get(app(), "/v1/pets/%31?limit=0&limit=0")).status).to.equal(200);
  });

  for (const petId of ["2", "01", "+1", "1.0", "%201", "%D9%A1", "%zz", "1%2f", "9".repeat(1000)]) {
    it(`answers the petId ${petId.slice(0, 30)} with 404 pet_not_found`, async () => {
      expectError(await get(app(), `/v1/pets/${petId}`), 404, "pet_not_found");
    });
  }
});

describe("GET /v1/pets/{petId}, once its operator has turned it off", () => {
  const app = useApp({ getPetServed: false });

  it("answers 410 operation_removed, for a pet that exists too", async () => {
    await post(app(), '{"name":"Rex","categoryId":1}');
    expectError(await get(app(), "/v1/pets/1"), 410, "operation_removed");
    expectError(await get(app(), "/v1/pets/x"), 410, "operation_removed");
    expect((await send(app(), "HEAD", "/v1/pets/1")).status).to.equal(410);
  });
});
