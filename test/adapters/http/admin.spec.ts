import { expect } from "chai";
import { pino } from "pino";
import { createAdminApp } from "../../../src/adapters/http/admin.js";
import { captureLog } from "../../support/captured-log.js";
import { send } from "../../support/client.js";
import { expectError } from "../../support/expect-error.js";

const BUILD = { version: "1.2.3", node: "v20.20.0" };

describe("The admin port", () => {
  let unready: "storage_unavailable" | "shutting_down" | undefined;
  const dependencies = {
    findUnready: async () => unready,
    metrics: { read: async () => ({ type: "text/plain; version=0.0.4; charset=utf-8", text: "up 1\n" }) },
    build: BUILD,
    isReadOnly: false,
    log: pino({ level: "silent" }),
  };
  const admin = { app: createAdminApp(dependencies) };
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
      const answer = await send(admin, "GET", path, { headers: { Accept: "image/png" } });
      expect([answer.status, answer.headers["content-type"], answer.text]).to.deep.equal([200, type, text]);
    });
  }

  it("logs why an answer cannot be written", () => {
    const { log, lines } = captureLog();
    createAdminApp({ ...dependencies, log }).emit("error", new Error("EPIPE"));
    expect(lines[0]).to.include({ level: 50, msg: "answering failed" });
  });

  it("says that the instance is read-only", async () => {
    const app = createAdminApp({ ...dependencies, isReadOnly: true });
    expect((await send({ app }, "GET", "/readyz")).text).to.equal('{"ready":true,"readOnly":true}');
  });

  for (const reason of ["storage_unavailable", "shutting_down"] as const) {
    it(`says that it lives and is not ready: ${reason}`, async () => {
      unready = reason;
      expectError(await send(admin, "GET", "/readyz"), 503, reason);
      expect((await send(admin, "GET", "/livez")).status).to.equal(200);
    });
  }

  for (const [method, path, status, code] of [
    ["HEAD", "/livez", 200],
    ["OPTIONS", "/livez", 204],
    ["GET", "/", 404, "route_not_found"],
    ["GET", "/livez/", 404, "route_not_found"],
    ["GET", "/v1/pets", 404, "route_not_found"],
    ["POST", "/metrics", 405, "method_not_allowed"],
  ] as const) {
    it(`answers ${method} ${path} with ${status}, as the API would`, async () => {
      const answer = await send(admin, method, path);
      if (code) expectError(answer, status, code);
      else expect([answer.status, answer.text]).to.deep.equal([status, ""]);
      if (status === 204 || status === 405) expect(answer.headers.allow).to.equal("GET, HEAD, OPTIONS");
    });
  }
});
