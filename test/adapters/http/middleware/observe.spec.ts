import { expect } from "chai";
import { captureLog, type LogLine } from "../../../support/captured-log.js";
import { get, post, send } from "../../../support/client.js";
import { API_KEY, type BuiltApp, buildApp, FixedKeys } from "../../../support/start-app.js";

describe("The log line of a request", () => {
  let app: BuiltApp;
  let lines: LogLine[];
  const keys = new FixedKeys(API_KEY, "expired");
  keys.expire("expired");

  beforeEach(() => {
    const captured = captureLog();
    lines = captured.lines;
    app = buildApp({ log: captured.log, keys });
  });

  it("contains all that an operator needs", async () => {
    const { headers, text } = await get(app, "/v1/pets?limit=5");
    expect(lines).to.have.length(1);
    const { time, ms, pid, hostname, ...line } = lines[0] as LogLine;
    expect(line).to.deep.equal({
      level: 30,
      msg: "request",
      requestId: headers["x-request-id"],
      operation: "listPets",
      method: "GET",
      status: 200,
      key: API_KEY,
      client: "127.0.0.1",
      bytes: text.length,
    });
    expect(String(ms), "to a microsecond").to.match(/^\d+(\.\d{1,3})?$/);
  });

  for (const [method, path, key, status, operation, code] of [
    ["GET", "/v1/pets/7", API_KEY, 404, "getPet", "pet_not_found"],
    ["GET", "/v1/pets", null, 401, "none", "missing_credentials"],
    ["GET", "/v1/pets", "expired", 401, "none", "invalid_credentials"],
    ["PUT", "/v1/pets", API_KEY, 405, "none", "method_not_allowed"],
    ["POST", "/v1/pets", API_KEY, 400, "createPet", "missing_body"],
  ] as const) {
    it(`agrees with the metrics: ${method} ${path}`, async () => {
      const label = method === "PUT" ? "other" : method;
      const series = `petstore_http_requests_total{operation="${operation}",method="${label}",status="${status}"}`;
      expect(await app.metric(series)).to.equal(0);
      await send(app, method, path, { key });
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include({ operation, method: label, status });
      expect([lines[0]?.code, lines[0]?.key]).to.deep.equal([code, key ?? undefined]);
      expect(await app.metric(series)).to.equal(1);
      if (code) expect(await app.metric(`petstore_http_errors_total{code="${code}"}`)).to.equal(1);
      expect(await app.metric("petstore_http_requests_in_flight")).to.equal(0);
    });
  }

  it("is an error of the log only if the service failed", async () => {
    const { log, lines: failed } = captureLog();
    await get(buildApp({ log, settings: { maxInFlight: 0 } }), "/v1/pets");
    expect(failed.map(({ level }) => level)).to.deep.equal([50]);
  });

  it("never holds a key, a body or a path, wherever the client put its key", async () => {
    const headers = { "X-Request-Id": "secret 4", traceparent: "secret-5" };
    await get(app, "/v1/pets/secret-1?api_key=secret-2", { key: "secret-3", headers });
    await post(app, '{"name":"secret-6","categoryId":"secret-7"}');
    expect(lines).to.have.length(2);
    expect(JSON.stringify(lines)).not.to.include("secret");
  });

  const two = "198.51.100.6, 192.0.2.7:80";
  for (const [what, proxies, header, address] of [
    ["ignores X-Forwarded-For unless a proxy is trusted", undefined, "192.0.2.7", "127.0.0.1"],
    ["ignores that of others", ["10.0.0.0/8"], "192.0.2.7", "127.0.0.1"],
    ["is what the last proxy says, without a port", ["loopback"], two, "192.0.2.7"],
    ["is the one before all trusted proxies", ["loopback", "192.0.2.7"], two, "198.51.100.6"],
    ["may be IPv6", ["loopback"], "[2001:db8::1]:51008", "2001:db8::1"],
  ] as const) {
    it(`shows the client's address, which ${what}`, async () => {
      const { log, lines } = captureLog();
      const proxied = buildApp({ log, settings: { trustProxy: proxies && [...proxies] } });
      const headers = { "X-Forwarded-For": header, Forwarded: "for=198.51.100.1" };
      await get(proxied, "/v1/pets", { headers });
      expect(lines.map(({ client }) => client)).to.deep.equal([address]);
    });
  }
});
