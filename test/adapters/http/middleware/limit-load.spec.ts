import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { useApp } from "../../../support/use-app.js";

describe("limitLoad", () => {
  const app = useApp({ limits: { inFlight: 1 } });

  it("gives a place to the next request after each answer", async () => {
    for (const status of [200, 404, 200]) {
      expect((await get(app(), status === 404 ? "/v1/pets/9" : "/v1/pets")).status).to.equal(status);
    }
  });

  const full = useApp({ limits: { inFlight: 0 } });

  it("answers as the API document says, HEAD and a deprecated operation, too", async () => {
    for (const answer of [await post(full(), "{}"), await get(full(), "/v1/store/orders")]) {
      expectError(answer, 503, "overloaded");
    }
    expect((await send(full(), "HEAD", "/v1/pets")).status).to.equal(503);
    const deprecated = await get(full(), "/v1/pets/1");
    expectError(deprecated, 503, "overloaded");
    expect(deprecated.headers).to.include.keys("deprecation", "sunset", "link");
  });
});
