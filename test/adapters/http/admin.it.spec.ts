import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { pino } from "pino";
import { createAdminApp, type NotReady } from "../../../src/adapters/http/admin.js";
import { createHttpServer } from "../../../src/adapters/http/server/http-server.js";
import { exchange, head } from "../../support/raw-http.js";

describe("admin port", () => {
  let unready: NotReady | undefined;
  let origin: string;
  const server = createHttpServer(
    createAdminApp({
      findUnready: async () => unready,
      readMetrics: async () => ({ type: "text/plain; version=0.0.4; charset=utf-8", text: "up 1\n" }),
      readOnly: false,
      version: "1.2.3",
      log: pino({ level: "silent" }),
    }),
    { inFlight: 100, connections: 100 },
  );

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    unready = undefined;
  });

  it("announces no deprecation, since it has no operation", async () => {
    const { port } = server.address() as AddressInfo;
    const { status, headers } = await exchange(port, head("GET /v1/pets/1 HTTP/1.1", "no colon"));
    expect(status).to.equal(400);
    expect(headers).not.to.have.property("deprecation");
  });

  it("says that the process lives, even if the instance is not ready", async () => {
    unready = "storage_unavailable";
    const response = await fetch(`${origin}/livez`);
    expect([response.status, await response.json()]).to.deep.equal([200, { alive: true }]);
  });

  it("says that the instance is ready", async () => {
    const response = await fetch(`${origin}/readyz`);
    expect([response.status, await response.json()]).to.deep.equal([200, { ready: true }]);
    expect(response.headers.get("content-type")).to.equal("application/json");
  });

  for (const [reason, code, word] of [
    ["storage_unavailable", "storage_unavailable", "storage"],
    ["keys_unreadable", "storage_unavailable", "keys file"],
    ["shutting_down", "shutting_down", "stopping"],
  ] as const) {
    it(`says which part is not ready: ${reason}`, async () => {
      unready = reason;
      const response = await fetch(`${origin}/readyz`);
      expect(response.status).to.equal(503);
      expect(response.headers.get("retry-after")).to.equal("1");
      const body = (await response.json()) as { message: string };
      expect(body).to.have.all.keys("code", "message", "status").and.include({ code, status: 503 });
      expect(body.message).to.include(word);
    });
  }

  it("hands out the metrics in their own media type, whatever the client accepts", async () => {
    for (const accept of ["text/plain", "application/json"]) {
      const response = await fetch(`${origin}/metrics`, { headers: { Accept: accept } });
      expect(response.headers.get("content-type")).to.equal("text/plain; version=0.0.4; charset=utf-8");
      expect(await response.text()).to.equal("up 1\n");
    }
  });

  it("tells its version and Node's", async () => {
    const response = await fetch(`${origin}/version`);
    expect(await response.json()).to.deep.equal({ version: "1.2.3", node: process.version });
  });

  it("answers HEAD without a body, and OPTIONS with Allow", async () => {
    const head = await fetch(`${origin}/livez`, { method: "HEAD" });
    expect([head.status, await head.text()]).to.deep.equal([200, ""]);
    const options = await fetch(`${origin}/livez`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).to.deep.equal([204, "GET, HEAD, OPTIONS"]);
  });

  for (const [method, path, status, code] of [
    ["GET", "/", 404, "route_not_found"],
    ["GET", "/livez/", 404, "route_not_found"],
    ["GET", "/v1/pets", 404, "route_not_found"],
    ["GET", "/constructor", 404, "route_not_found"],
    ["POST", "/metrics", 405, "method_not_allowed"],
  ] as const) {
    it(`refuses ${method} ${path} as the API would`, async () => {
      const response = await fetch(`${origin}${path}`, { method });
      expect(response.status).to.equal(status);
      expect(await response.json())
        .to.have.all.keys("code", "message", "status")
        .and.include({ code, status });
    });
  }
});
