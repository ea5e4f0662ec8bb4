import { expect } from "chai";
import { captureLog } from "../../../support/captured-log.js";
import { get } from "../../../support/client.js";
import { buildApp } from "../../../support/start-app.js";

describe("The client's address in the log", () => {
  const two = "198.51.100.6, 192.0.2.7:80";
  for (const [what, proxies, header, address] of [
    ["ignores X-Forwarded-For unless a proxy is trusted", undefined, "192.0.2.7", "127.0.0.1"],
    ["ignores that of others", ["10.0.0.0/8"], "192.0.2.7", "127.0.0.1"],
    ["is what the last proxy says, without a port", ["loopback"], two, "192.0.2.7"],
    ["is the one before all trusted proxies", ["loopback", "192.0.2.7"], two, "198.51.100.6"],
    ["may be IPv6", ["loopback"], "2001:db8::1", "2001:db8::1"],
    ["has no port in IPv6", ["loopback"], "[2001:db8::1]:51008", "2001:db8::1"],
  ] as const) {
    it(what, async () => {
      const { log, lines } = captureLog();
      const app = buildApp({ log, settings: { trustProxy: proxies && [...proxies] } });
      const headers = { "X-Forwarded-For": header, Forwarded: "for=198.51.100.1" };
      await get(app, "/v1/pets", { headers });
      expect(lines.map(({ client }) => client)).to.deep.equal([address]);
    });
  }

  it("rejects a proxy that is not an address", () => {
    const settings = { trustProxy: ["10.0.0.0/99"] };
    expect(() => buildApp({ settings })).to.throw(TypeError, "10.0.0.0/99");
  });
});
