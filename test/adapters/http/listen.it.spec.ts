import { closeSync, openSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { listen } from "../../../src/adapters/http/listen.js";

describe("listen", () => {
  const settings = ["PETSTORE_HOST", "PETSTORE_PORT"] as const;
  const failureOf = (address: { host?: string; port?: number; fd?: number }) =>
    listen(createServer(), { host: "127.0.0.1", port: 0, settings, ...address }).then(
      () => undefined,
      ({ message }: Error) => message,
    );

  for (const [host, origin] of Object.entries({ "127.0.0.1": "127.0.0.1", "::1": "[::1]" })) {
    it(`gives the origin with the port that the system picked: ${host}`, async () => {
      const server = createServer();
      const given = await listen(server, { host, port: 0, settings });
      expect(given).to.equal(`http://${origin}:${(server.address() as AddressInfo).port}`);
      server.close();
    });
  }

  it("says which setting to correct if the port is taken", async () => {
    const other = createServer();
    const port = Number(new URL(await listen(other, { host: "127.0.0.1", port: 0, settings })).port);
    expect(await failureOf({ port })).to.match(/^Port \d+ of 127\.0\.0\.1 is taken; .* set PETSTORE_PORT /);
    other.close();
  });

  it("says which setting to correct if the address is not of this machine", async () => {
    expect(await failureOf({ host: "192.0.2.1" })).to.match(
      /^Cannot listen on 192\.0\.2\.1: .* PETSTORE_HOST /,
    );
  });

  it("names the socket unit if the descriptor that it gets is no socket", async () => {
    const fd = openSync(import.meta.filename, "r");
    expect(await failureOf({ fd })).to.match(/which LISTEN_FDS hands over: .*; correct the .socket unit/);
    closeSync(fd);
  });
});
