import { expect } from "chai";
import { send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { type StartedApp, startApp } from "../../../support/start-app.js";

const TYPES = {
  "/openapi.json": "application/json",
  "/openapi.yaml": "application/yaml",
  "/docs": "text/html; charset=utf-8",
  "/docs/page.css": "text/css; charset=utf-8",
  "/docs/page.js": "text/javascript; charset=utf-8",
};

describe("A public document", () => {
  let app: StartedApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  for (const [path, type] of Object.entries(TYPES)) {
    it(`at ${path} needs no key and is ${type}`, async () => {
      const answer = await send(app, "GET", path, { key: null });
      expect(answer.status).to.equal(200);
      expect(answer.headers["content-type"]).to.equal(type);
      expect(answer.headers["content-length"]).to.equal(String(Buffer.byteLength(answer.text)));
      expect(answer.text).not.to.equal("");
    });
  }

  it("may be kept, and checked with If-None-Match", async () => {
    const { headers } = await send(app, "GET", "/docs", { key: null });
    expect(headers["cache-control"]).to.equal("no-cache");
    const again = await send(app, "GET", "/docs", { headers: { "If-None-Match": headers.etag ?? "" } });
    expect(again.status).to.equal(304);
    expect(again.text).to.equal("");
    expect(again.headers.etag).to.equal(headers.etag);
    const other = await send(app, "GET", "/docs", { headers: { "If-None-Match": '"other"' } });
    expect(other.status).to.equal(200);
  });

  it("answers HEAD without a body, OPTIONS with Allow, and another method with 405", async () => {
    const head = await send(app, "HEAD", "/openapi.json", { key: null });
    expect(head.status).to.equal(200);
    expect(head.text).to.equal("");
    const options = await send(app, "OPTIONS", "/openapi.json", { key: null });
    expect(options.status).to.equal(204);
    expect(options.headers.allow).to.equal("GET, HEAD, OPTIONS");
    expectError(await send(app, "POST", "/docs", { key: null }), 405, "method_not_allowed");
  });

  it("may run and load nothing but files of the service", async () => {
    const { headers } = await send(app, "GET", "/docs", { key: null });
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).to.contain("default-src 'none'").and.contain("script-src 'self'");
    expect(policy).not.to.match(/unsafe|https?:|\*/);
    expect(headers["x-content-type-options"]).to.equal("nosniff");
  });

  for (const path of ["/", "/v1", "/v1/nothing", "/nothing"]) {
    it(`is named by the 404 at ${path}`, async () => {
      const answer = await send(app, "GET", path);
      expectError(answer, 404, "route_not_found");
      expect(JSON.parse(answer.text).message).to.contain("/docs");
    });
  }
});
