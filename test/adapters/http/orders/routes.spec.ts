import { expect } from "chai";
import { get, post } from "../../../support/client.js";
import { expectJson } from "../../../support/expect-error.js";
import { describeApp } from "../../../support/start-app.js";

describeApp("GET /v1/store/orders", (app) => {
  it("answers 200 with an empty list, whatever pets there are, and ignores a query", async () => {
    await post(app(), '{"name":"Rex","categoryId":1}');
    const answer = await get(app(), "/v1/store/orders?limit=0&limit=0&x=1");
    expect([answer.status, answer.text]).to.deep.equal([200, "[]"]);
    expectJson(answer);
  });
});
