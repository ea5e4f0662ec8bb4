import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { PetstoreApp } from "../../../../src/adapters/http/petstore-app.js";
import { stoppable } from "../../../../src/adapters/http/server/stop-server.js";
import { until } from "../../../support/eventually.js";

describe("A server that stops", () => {
  it("answers on the last connection that it has accepted", async () => {
    const server = createServer((_, res) => res.setHeader("Connection", "close").end("answered"));
    const stop = stoppable({} as PetstoreApp, server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const answers: Promise<string>[] = [];
    // Each is followed by another, as long as the server accepts them.
    let next: NodeJS.Timeout | undefined;
    server.on("connection", () => {
      next = setTimeout(open, 10);
    });
    function open(): void {
      const client = connect(port, "127.0.0.1").once("connect", () => {
        answers.push(text(client).catch((error: NodeJS.ErrnoException) => error.code as string));
        client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      });
      // The next one finds that nobody listens.
      client.on("error", () => {});
    }
    open();
    await until(() => answers.length > 10);
    await stop(10_000);
    clearTimeout(next);
    // The last look of a stop for connections that have just arrived.
    await sleep(150);
    const all = await Promise.all(answers);
    expect(all.filter((answer) => !answer.endsWith("answered"))).to.deep.equal([]);
  });
});
