import { expect } from "chai";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

describe("security headers", () => {
  let app: StartedApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  for (const [method, path, status] of [
    ["GET", "/v1/pets", 200],
    ["HEAD", "/v1/pets", 200],
    ["OPTIONS", "/v1/pets", 204],
    ["GET", "/v1/pets/1", 404],
    ["PUT", "/v1/pets", 405],
    ["GET", "/nothing", 404],
  ] as const) {
    it(`are on ${method} ${path}`, async () => {
      await expectHeaders(method, path, { Authorization: `Bearer ${API_KEY}` }, status);
    });
  }

  it("are on 401", () => expectHeaders("GET", "/v1/pets", {}, 401));

  it("are on 503 overloaded", async () => {
    await app.close();
    app = await startApp({ limits: { inFlight: 0, connections: 10 } });
    await expectHeaders("GET", "/v1/pets", {}, 503);
  });

  async function expectHeaders(
    method: string,
    path: string,
    headers: Record<string, string>,
    status: number,
  ): Promise<void> {
    const answer = await fetch(app.origin + path, { method, headers });
    expect(answer.status).to.equal(status);
    expect(answer.headers.get("cache-control")).to.equal("no-store");
    expect(answer.headers.get("x-content-type-options")).to.equal("nosniff");
    expect(answer.headers.get("content-security-policy")).to.equal(
      "default-src 'none'; frame-ancestors 'none'",
    );
  }
});
