import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { clientAddressBehind } from "../../../../src/adapters/http/middleware/client-address.js";

describe("clientAddressBehind", () => {
  for (const [what, proxies, headers, address] of [
    ["the proxy's word", ["loopback"], { "X-Forwarded-For": "192.0.2.7" }, "192.0.2.7"],
    ["the last proxy's word only", ["loopback"], { "X-Forwarded-For": "6.6.6.6, 192.0.2.7" }, "192.0.2.7"],
    [
      "a chain of trusted proxies",
      ["loopback", "10.0.0.0/8"],
      { "X-Forwarded-For": "6.6.6.6, 192.0.2.7, 10.1.2.3" },
      "192.0.2.7",
    ],
    ["IPv6", ["loopback"], { "X-Forwarded-For": "2001:db8::7" }, "2001:db8::7"],
    ["the connection if there is no header", ["loopback"], {}, "127.0.0.1"],
    ["no one else's header", ["10.0.0.0/8"], { "X-Forwarded-For": "6.6.6.6" }, "127.0.0.1"],
    ["no Forwarded header", ["loopback"], { Forwarded: "for=6.6.6.6" }, "127.0.0.1"],
  ] as const) {
    it(`believes ${what}`, async () => {
      const addressOf = clientAddressBehind(proxies);
      const server = createServer((req, res) => res.end(addressOf(req)));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const { port } = server.address() as AddressInfo;
        const answer = await fetch(`http://127.0.0.1:${port}/`, { headers });
        expect(await answer.text()).to.equal(address);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  }
});
