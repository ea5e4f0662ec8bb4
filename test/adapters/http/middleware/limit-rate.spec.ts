import { mock } from "node:test";
import { expect } from "chai";
import { limitRate } from "../../../../src/adapters/http/middleware/limit-rate.js";
import { get } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { type BuiltApp, buildApp, FixedKeys } from "../../../support/start-app.js";

describe("limitRate", () => {
  let app: BuiltApp;
  afterEach(() => {
    mock.restoreAll();
    return app.close();
  });

  async function start(requests: number): Promise<void> {
    const keyVerifier = new FixedKeys("key-a", "key-b");
    app = await buildApp({ keyVerifier, limitRate: limitRate({ requests, seconds: 60 }) });
  }

  const list = (key: string | null) => get(app, "/v1/pets", { key });

  it("tells a client its quota on every answer, errors included", async () => {
    await start(10);
    const { headers } = await list("key-a");
    expect(headers["ratelimit-policy"]).to.equal('"api-key";q=10;w=60');
    expect(headers.ratelimit).to.match(/^"api-key";r=9;t=(60|59)$/);
    const notFound = await get(app, "/v1/pets/1", { key: "key-a" });
    expectError(notFound, 404, "pet_not_found");
    expect(notFound.headers.ratelimit).to.match(/^"api-key";r=8;t=(60|59)$/);
  });

  it("refuses requests beyond the rate with 429, for each key by itself", async () => {
    await start(2);
    expect((await list("key-a")).status).to.equal(200);
    expect((await list("key-a")).status).to.equal(200);
    const refused = await list("key-a");
    expectError(refused, 429, "rate_limited");
    const [, reset] = /^"api-key";r=0;t=(\d+)$/.exec(refused.headers.ratelimit ?? "") ?? [];
    expect(Number(reset)).to.be.within(1, 60);
    expect(refused.headers["retry-after"]).to.equal(reset);
    expect((await list("key-b")).status).to.equal(200);
  });

  it("names a time within its window, even if the clock is set back by an hour", async () => {
    await start(1);
    expect((await list("key-a")).status).to.equal(200);
    const past = Date.now() - 3_600_000;
    mock.method(Date, "now", () => past);
    const refused = await list("key-a");
    expectError(refused, 429, "rate_limited");
    expect(Number(refused.headers["retry-after"])).to.be.within(1, 60);
  });

  it("names a time within its window at any fraction of a millisecond", async () => {
    await start(1);
    // 227869.64997300573 + 60000 - 227869.64997300573 is more than 60000.
    mock.method(performance, "now", () => 227869.64997300573);
    expect((await list("key-a")).headers.ratelimit).to.equal('"api-key";r=0;t=60');
  });

  it("neither counts nor marks requests without an accepted key", async () => {
    await start(1);
    expect((await list(null)).headers).not.to.have.property("ratelimit");
    const { status, headers } = await get(app, "/nothing", { key: null });
    expect([status, headers.ratelimit]).to.deep.equal([404, undefined]);
    expect((await list("key-a")).status).to.equal(200);
  });
});
