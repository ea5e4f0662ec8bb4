import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { expectError, expectJson } from "../../../support/expect-error.js";
import { describeApp } from "../../../support/use-app.js";

describeApp("GET /v1/store/orders", (app) => {
  it("answers 200 with an empty list, whatever pets there are", async () => {
    await post(app(), '{"name":"Rex","categoryId":1}');
    const answer = await get(app(), "/v1/store/orders");
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal("[]");
    expectJson(answer);
  });

  it("takes no parameters and ignores a query", async () => {
    expect((await get(app(), "/v1/store/orders?limit=0&limit=0&x=1")).text).to.equal("[]");
  });

  it("asks for an API key", async () => {
    expectError(await get(app(), "/v1/store/orders", { key: null }), 401, "missing_credentials");
  });

  it("takes no orders: 405 for POST", async () => {
    const answer = await send(app(), "POST", "/v1/store/orders", { body: "{}" });
    expectError(answer, 405, "method_not_allowed");
    expect(answer.headers.allow).to.equal("GET, HEAD, OPTIONS");
  });
});
