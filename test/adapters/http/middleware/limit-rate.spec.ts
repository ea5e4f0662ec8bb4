import { mock } from "node:test";
import { expect } from "chai";
import { get } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { type BuiltApp, buildApp, FixedKeys } from "../../../support/start-app.js";

describe("The rate limit", () => {
  const build = (requests: number) =>
    buildApp({
      keys: new FixedKeys("key-a", "key-b"),
      settings: { rateLimit: { requests, seconds: 60 } },
    });
  const list = (app: BuiltApp, key: string | null = "key-a") => get(app, "/v1/pets", { key });
  afterEach(() => mock.restoreAll());

  it("tells a client its quota on every response, and rejects more with 429, for each key by itself", async () => {
    const app = build(2);
    const first = await list(app);
    expect(first.headers["ratelimit-policy"]).to.equal('"api-key";q=2;w=60');
    expect(first.headers.ratelimit).to.match(/^"api-key";r=1;t=(60|59)$/);
    expectError(await get(app, "/v1/pets/1", { key: "key-a" }), 404, "pet_not_found");
    expect((await list(app, "key-b")).status).to.equal(200);
    const rejected = await list(app);
    expectError(rejected, 429, "rate_limited");
    const [, reset] = /^"api-key";r=0;t=(\d+)$/.exec(rejected.headers.ratelimit ?? "") ?? [];
    expect(Number(reset)).to.be.within(1, 60);
    expect(rejected.headers["retry-after"]).to.equal(reset);
  });

  it("names a time within its window, even if the clock is set back by an hour", async () => {
    const app = build(1);
    await list(app);
    const past = Date.now() - 3_600_000;
    mock.method(Date, "now", () => past);
    expect(Number((await list(app)).headers["retry-after"])).to.be.within(1, 60);
  });

  it("neither counts nor marks requests without an accepted key", async () => {
    const app = build(1);
    for (const answer of [await list(app, null), await get(app, "/nothing", { key: null })]) {
      expect(answer.headers).not.to.have.property("ratelimit");
    }
    expect((await list(app)).status).to.equal(200);
  });
});
