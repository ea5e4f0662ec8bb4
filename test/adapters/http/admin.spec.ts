import { expect } from "chai";
import { send } from "../../support/client.js";
import { expectError } from "../../support/expect-error.js";
import { buildApp, storageOver } from "../../support/start-app.js";

describe("The admin port", () => {
  const admin = { app: buildApp().adminApp };

  for (const [path, type, text] of [
    ["/livez", "application/json", /^\{"alive":true\}$/],
    ["/readyz", "application/json", /^\{"ready":true\}$/],
    ["/version", "application/json", /^\{"version":"1\.2\.3","node":"v[\d.]+"\}$/],
    ["/metrics", "text/plain; version=0.0.4; charset=utf-8", /^petstore_http_requests_in_flight 0$/m],
  ] as const) {
    it(`serves ${path} in its own media type, whatever the client accepts`, async () => {
      const answer = await send(admin, "GET", path, { headers: { Accept: "image/png" } });
      expect([answer.status, answer.headers["content-type"]]).to.deep.equal([200, type]);
      expect(answer.text).to.match(text);
    });
  }

  const ping = async () => Promise.reject(new Error("ECONNREFUSED"));
  for (const [what, options, code] of [
    ["while the storage is down", { storage: { ...storageOver(), ping } }, "storage_unavailable"],
    ["once it is told to stop", { stopping: AbortSignal.abort() }, "shutting_down"],
  ] as const) {
    it(`is alive, but not ready, ${what}`, async () => {
      const { adminApp: app } = buildApp(options);
      expectError(await send({ app }, "GET", "/readyz"), 503, code);
      expect((await send({ app }, "GET", "/livez")).status).to.equal(200);
    });
  }

  it("says that the service is read-only", async () => {
    const { adminApp: app } = buildApp({ settings: { readOnly: true } });
    expect((await send({ app }, "GET", "/readyz")).text).to.equal('{"ready":true,"readOnly":true}');
  });

  it("responds to other paths and methods as the API does", async () => {
    expectError(await send(admin, "GET", "/v1/pets"), 404, "route_not_found");
    const answer = await send(admin, "POST", "/metrics");
    expectError(answer, 405, "method_not_allowed");
    expect(answer.headers.allow).to.equal("GET, HEAD, OPTIONS");
  });
});
