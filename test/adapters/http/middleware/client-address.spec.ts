import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { clientAddressBehind } from "../../../../src/adapters/http/middleware/client-address.js";

describe("clientAddressBehind", () => {
  for (const [what, proxies, headers, address] of [
    ["the last proxy's word only", ["loopback"], { "x-forwarded-for": "6.6.6.6, 192.0.2.7" }, "192.0.2.7"],
    ["no one else's header", ["10.0.0.0/8"], { "x-forwarded-for": "6.6.6.6" }, "127.0.0.1"],
    ["the connection if there is no header", ["loopback"], {}, "127.0.0.1"],
    ["no Forwarded header", ["loopback"], { forwarded: "for=6.6.6.6" }, "127.0.0.1"],
  ] as const) {
    it(`believes ${what}`, () => {
      const req = { headers, socket: { remoteAddress: "127.0.0.1" } } as unknown as IncomingMessage;
      expect(clientAddressBehind(proxies)(req)).to.equal(address);
    });
  }

  it("believes the header that comes over a Unix socket, whose other end has no address", () => {
    const req = { headers: { "x-forwarded-for": "192.0.2.7" }, socket: {} } as unknown as IncomingMessage;
    expect(clientAddressBehind(["loopback"])(req)).to.equal("192.0.2.7");
  });
});
