import { expect } from "chai";
import { captureLog } from "../../../support/captured-log.js";
import { get } from "../../../support/client.js";
import { buildApp } from "../../../support/start-app.js";

describe("The client's address in the log", () => {
  for (const [what, trustProxy, header, address] of [
    ["ignores X-Forwarded-For unless a proxy is trusted", undefined, "192.0.2.7", "127.0.0.1"],
    ["ignores that of others", ["10.0.0.0/8"], "192.0.2.7", "127.0.0.1"],
    ["is what the last proxy says", ["loopback"], "198.51.100.6, 192.0.2.7", "192.0.2.7"],
    [
      "is behind all trusted proxies",
      ["loopback", "192.0.2.7"],
      "198.51.100.6, 192.0.2.7:80",
      "198.51.100.6",
    ],
    ["has no port", ["loopback"], "203.0.113.9:51008", "203.0.113.9"],
    ["has no port in IPv6", ["loopback"], "[2001:db8::1]:51008", "2001:db8::1"],
    ["may be IPv6", ["loopback"], "2001:db8::1", "2001:db8::1"],
  ] as const) {
    it(what, async () => {
      const { log, lines } = captureLog();
      const headers = { "X-Forwarded-For": header, Forwarded: "for=198.51.100.1" };
      await get(
        buildApp({ log, settings: { PETSTORE_TRUST_PROXY: trustProxy && [...trustProxy] } }),
        "/v1/pets",
        { headers },
      );
      expect(lines.map(({ client }) => client)).to.deep.equal([address]);
    });
  }

  it("rejects a proxy that is no address", () => {
    expect(() => buildApp({ settings: { PETSTORE_TRUST_PROXY: ["10.0.0.0/99"] } })).to.throw(
      TypeError,
      "10.0.0.0/99",
    );
  });
});
