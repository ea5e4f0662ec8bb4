import { expect } from "chai";
import { get } from "../../support/client.js";
import { buildApp } from "../../support/start-app.js";

describe("The documents", () => {
  const app = buildApp();

  for (const [path, type] of Object.entries({
    "/openapi.json": "application/json",
    "/openapi.yaml": "application/yaml",
    "/docs": "text/html; charset=utf-8",
    "/docs/page.css": "text/css; charset=utf-8",
    "/docs/page.js": "text/javascript; charset=utf-8",
  })) {
    it(`are served as ${type} at ${path}, without a key`, async () => {
      const { status, headers, text } = await get(app, path, { key: null });
      expect([status, headers["content-type"]]).to.deep.equal([200, type]);
      expect(text).to.have.length.above(100);
    });
  }

  it("may be cached, and revalidated with If-None-Match", async () => {
    const { headers } = await get(app, "/docs");
    expect(headers["cache-control"]).to.equal("no-cache");
    for (const [etags, status] of Object.entries({ [`"x", W/${headers.etag}`]: 304, '"x"': 200 })) {
      const revalidated = await get(app, "/docs", { headers: { "If-None-Match": etags } });
      expect([revalidated.status, revalidated.headers.etag]).to.deep.equal([status, headers.etag]);
    }
  });

  it("may run and load only files of the service", async () => {
    const { "content-security-policy": policy = "", ...headers } = (await get(app, "/docs")).headers;
    expect(policy).to.contain("default-src 'none'").and.contain("script-src 'self'");
    expect(policy).not.to.match(/unsafe|https?:|\*/);
    expect(headers["x-content-type-options"]).to.equal("nosniff");
  });
});
