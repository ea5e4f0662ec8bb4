import { expect } from "chai";
import { pino } from "pino";
import { createAdminApp, type NotReady } from "../../../src/adapters/http/admin.js";
import { send } from "../../support/client.js";
import { expectError } from "../../support/expect-error.js";

const BUILD = { version: "1.2.3", node: "v20.20.0" };

describe("admin port", () => {
  let unready: NotReady | undefined;
  const app = createAdminApp({
    findUnready: async () => unready,
    readMetrics: async () => ({ type: "text/plain; version=0.0.4; charset=utf-8", text: "up 1\n" }),
    readOnly: false,
    build: BUILD,
    log: pino({ level: "silent" }),
  });
  const admin = { app };
  beforeEach(() => {
    unready = undefined;
  });

  for (const [path, type, text] of [
    ["/livez", "application/json", '{"alive":true}'],
    ["/readyz", "application/json", '{"ready":true}'],
    ["/version", "application/json", JSON.stringify(BUILD)],
    ["/metrics", "text/plain; version=0.0.4; charset=utf-8", "up 1\n"],
  ] as const) {
    it(`answers ${path} in its own media type, whatever the client accepts`, async () => {
      for (const Accept of ["text/plain", "application/json"]) {
        const answer = await send(admin, "GET", path, { headers: { Accept } });
        expect([answer.status, answer.headers["content-type"], answer.text]).to.deep.equal([200, type, text]);
      }
    });
  }

  it("says that the process lives, even if the instance is not ready", async () => {
    unready = "storage_unavailable";
    expect((await send(admin, "GET", "/livez")).status).to.equal(200);
  });

  for (const [reason, code, word] of [
    ["storage_unavailable", "storage_unavailable", "The storage cannot be used now; see the log"],
    ["shutting_down", "shutting_down", "stopping"],
  ] as const) {
    it(`says which part is not ready: ${reason}`, async () => {
      unready = reason;
      const answer = await send(admin, "GET", "/readyz");
      expectError(answer, 503, code);
      expect(answer.text).to.include(word);
    });
  }

  it("answers HEAD without a body, and OPTIONS with Allow", async () => {
    const headed = await send(admin, "HEAD", "/livez");
    expect([headed.status, headed.text]).to.deep.equal([200, ""]);
    const options = await send(admin, "OPTIONS", "/livez");
    expect([options.status, options.headers.allow]).to.deep.equal([204, "GET, HEAD, OPTIONS"]);
  });

  for (const [method, path, status, code] of [
    ["GET", "/", 404, "route_not_found"],
    ["GET", "/livez/", 404, "route_not_found"],
    ["GET", "/v1/pets", 404, "route_not_found"],
    ["GET", "/constructor", 404, "route_not_found"],
    ["POST", "/metrics", 405, "method_not_allowed"],
  ] as const) {
    it(`refuses ${method} ${path} as the API would`, async () => {
      expectError(await send(admin, method, path), status, code);
    });
  }
});
