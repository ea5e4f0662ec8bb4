import { expect } from "chai";
import { get } from "../../support/client.js";
import { useApp } from "../../support/use-app.js";

const TYPES = {
  "/openapi.json": "application/json",
  "/openapi.yaml": "application/yaml",
  "/docs": "text/html; charset=utf-8",
  "/docs/page.css": "text/css; charset=utf-8",
  "/docs/page.js": "text/javascript; charset=utf-8",
};

describe("A public document", () => {
  const app = useApp();

  for (const [path, type] of Object.entries(TYPES)) {
    it(`at ${path} needs no key and is ${type}`, async () => {
      const { status, headers, text } = await get(app(), path, { key: null });
      expect([status, headers["content-type"]]).to.deep.equal([200, type]);
      expect(headers["content-length"]).to.equal(String(Buffer.byteLength(text)));
      expect(text).not.to.equal("");
    });
  }

  it("may be kept, and checked with If-None-Match", async () => {
    const { headers } = await get(app(), "/docs");
    expect(headers["cache-control"]).to.equal("no-cache");
    const again = await get(app(), "/docs", { headers: { "If-None-Match": headers.etag ?? "" } });
    expect([again.status, again.text]).to.deep.equal([304, ""]);
    expect(again.headers.etag).to.equal(headers.etag);
    expect((await get(app(), "/docs", { headers: { "If-None-Match": "*" } })).status).to.equal(304);
    const other = await get(app(), "/docs", { headers: { "If-None-Match": '"other"' } });
    expect(other.status).to.equal(200);
  });

  it("may run and load nothing but files of the service", async () => {
    const { headers } = await get(app(), "/docs");
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).to.contain("default-src 'none'").and.contain("script-src 'self'");
    expect(policy).not.to.match(/unsafe|https?:|\*/);
    expect(headers["x-content-type-options"]).to.equal("nosniff");
  });
});
