import { expect } from "chai";
import { limitRate } from "../../../../src/adapters/http/middleware/limit-rate.js";
import { get } from "../../../support/client.js";
import { expectError, expectJson } from "../../../support/expect-error.js";
import { FixedKeys, type StartedApp, startApp } from "../../../support/start-app.js";

describe("limitRate", () => {
  let app: StartedApp;
  afterEach(() => app.close());

  function list(key: string, path = "/v1/pets"): Promise<Response> {
    return fetch(`${app.origin}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  }

  async function start(requests: number, seconds: number): Promise<void> {
    app = await startApp({
      keyVerifier: new FixedKeys("key-a", "key-b"),
      limitRate: limitRate({ requests, seconds }),
    });
  }

  it("tells a client its quota on every answer, errors included", async () => {
    await start(10, 60);
    const ok = await list("key-a");
    expect(ok.headers.get("ratelimit-policy")).to.equal('"api-key";q=10;w=60');
    expect(ok.headers.get("ratelimit")).to.match(/^"api-key";r=9;t=(60|59)$/);
    const notFound = await list("key-a", "/v1/pets/1");
    expect(notFound.status).to.equal(404);
    expect(notFound.headers.get("ratelimit")).to.match(/^"api-key";r=8;t=(60|59)$/);
    expect(notFound.headers.get("sunset")).to.match(/2030/);
  });

  it("refuses requests beyond the rate with 429, for each key by itself", async () => {
    await start(2, 60);
    expect((await list("key-a")).status).to.equal(200);
    expect((await list("key-a")).status).to.equal(200);
    const refused = await list("key-a");
    expect(refused.status).to.equal(429);
    expect(await refused.json()).to.include({ code: "rate_limited", status: 429 });
    const [, reset] = /^"api-key";r=0;t=(\d+)$/.exec(refused.headers.get("ratelimit") ?? "") ?? [];
    expect(Number(reset)).to.be.within(1, 60);
    expect(refused.headers.get("retry-after")).to.equal(reset);
    expect((await list("key-b")).status).to.equal(200);
  });

  it("answers as the API document describes it", async () => {
    await start(1, 60);
    expectJson(await get(app, "/v1/pets", { key: "key-a" }));
    expectError(await get(app, "/v1/pets", { key: "key-a" }), 429, "rate_limited");
  });

  it("accepts requests again after Retry-After", async () => {
    await start(1, 1);
    expect((await list("key-a")).status).to.equal(200);
    const refused = await list("key-a");
    expect(refused.status).to.equal(429);
    await new Promise((resolve) => setTimeout(resolve, Number(refused.headers.get("retry-after")) * 1000));
    expect((await list("key-a")).status).to.equal(200);
  });

  it("names a time within its window, even if the clock is set back by an hour", async () => {
    await start(1, 60);
    expect((await list("key-a")).status).to.equal(200);
    const { now } = Date;
    Date.now = () => now() - 3_600_000;
    try {
      const refused = await list("key-a");
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers.get("retry-after"))).to.be.within(1, 60);
    } finally {
      Date.now = now;
    }
  });

  it("names a time within its window at any fraction of a millisecond", async () => {
    await start(1, 60);
    const { now } = performance;
    // 227869.64997300573 + 60000 - 227869.64997300573 is more than 60000.
    performance.now = () => 227869.64997300573;
    try {
      const first = await list("key-a");
      expect(first.headers.get("ratelimit")).to.equal('"api-key";r=0;t=60');
    } finally {
      performance.now = now;
    }
  });

  it("neither counts nor marks requests without an accepted key", async () => {
    await start(1, 60);
    for (const path of ["/v1/pets", "/nothing"]) {
      const answer = await fetch(`${app.origin}${path}`);
      expect(answer.headers.get("ratelimit")).to.equal(null);
    }
    expect((await list("key-a")).status).to.equal(200);
  });
});
