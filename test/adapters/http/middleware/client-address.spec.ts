import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { clientAddressBehind } from "../../../../src/adapters/http/middleware/client-address.js";

describe("clientAddressBehind", () => {
  for (const [what, proxies, headers, address] of [
    ["the last proxy's word only", ["loopback"], { "x-forwarded-for": "6.6.6.6, 192.0.2.7" }, "192.0.2.7"],
    ["no one else's header", ["10.0.0.0/8"], { "x-forwarded-for": "6.6.6.6" }, "127.0.0.1"],
    ["the connection if there is no header", ["loopback"], {}, "127.0.0.1"],
    ["64 proxies", ["loopback"], { "x-forwarded-for": `6.6.6.6${",127.0.0.1".repeat(63)}` }, "6.6.6.6"],
    ["not more", ["loopback"], { "x-forwarded-for": `6.6.6.6${",127.0.0.1".repeat(64)}` }, "127.0.0.1"],
    ["no Forwarded header", ["loopback"], { forwarded: "for=6.6.6.6" }, "127.0.0.1"],
  ] as const) {
    it(`believes ${what}`, () => {
      const req = { headers, socket: { remoteAddress: "127.0.0.1" } } as unknown as IncomingMessage;
      expect(clientAddressBehind(proxies)(req)).to.equal(address);
    });
  }

  for (const socket of [{ destroyed: true }, { localAddress: "127.0.0.1" }]) {
    it(`believes no header of a client that has gone: ${JSON.stringify(socket)}`, () => {
      const req = { headers: { "x-forwarded-for": "6.6.6.6" }, socket } as unknown as IncomingMessage;
      expect(clientAddressBehind(["loopback"])(req)).to.equal(undefined);
    });
  }

  it("believes the header that comes over a Unix socket, whose other end has no address", () => {
    const req = { headers: { "x-forwarded-for": "192.0.2.7" }, socket: {} } as unknown as IncomingMessage;
    expect(clientAddressBehind(["loopback"])(req)).to.equal("192.0.2.7");
  });
});
