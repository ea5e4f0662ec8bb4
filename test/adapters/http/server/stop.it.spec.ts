import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { KoaApp } from "../../../../src/adapters/http/koa-app.js";
import { createHttpServer, type HttpServer } from "../../../../src/adapters/http/server/http-server.js";
import { arrival, until } from "../../../support/eventually.js";
import { openSocket } from "../../../support/raw-http.js";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
/** More than the operating system takes on for a connection. */
const LONG = "x".repeat(20_000_000);

describe("A server that stops", () => {
  let server: HttpServer;
  let port: number;
  let length: number;
  let served: number;

  beforeEach(async () => {
    served = 0;
    length = 0;
    const app = {
      stopping: false,
      emit: () => true,
      callback: () => async (_: unknown, res: import("node:http").ServerResponse) => {
        served += 1;
        await arrival();
        if (app.stopping) res.setHeader("Connection", "close");
        res.end(`${LONG.slice(0, length)}answered`);
      },
    };
    server = createHttpServer(app as unknown as KoaApp, Infinity);
    await once(server.server.listen(0, "127.0.0.1"), "listening");
    port = (server.server.address() as AddressInfo).port;
  });
  afterEach(() => {
    server.server.close().closeAllConnections();
  });

  const send = (bytes: string) => openSocket(port, bytes);

  it("answers on the last connection that it has accepted", async () => {
    const answers: Promise<string>[] = [];
    // Each is followed by another, as long as the server accepts them.
    let next: NodeJS.Timeout | undefined;
    server.server.on("connection", () => {
      next = setTimeout(open, 10);
    });
    function open(): void {
      const client = connect(port, "127.0.0.1").once("connect", () => {
        answers.push(text(client).catch((error: NodeJS.ErrnoException) => error.code as string));
        client.write(GET);
      });
      // The next one finds that nobody listens.
      client.on("error", () => {});
    }
    open();
    await until(() => answers.length > 10);
    await server.stop(10_000);
    clearTimeout(next);
    const all = await Promise.all(answers);
    expect(all.filter((answer) => !answer.endsWith("answered"))).to.deep.equal([]);
  });

  it("delivers what it has answered, if the client reads within the patience", async () => {
    length = LONG.length;
    const slow = await send(GET);
    await until(() => served === 1);
    const stopped = server.stop(10_000);
    await sleep(1500);
    expect((await text(slow)).endsWith("answered")).to.equal(true);
    expect(await stopped).to.equal(0);
  });

  it("cuts a client that reads nothing once its patience is over, not before, and counts it", async () => {
    length = LONG.length;
    await send(GET);
    await until(() => served === 1);
    const began = performance.now();
    expect(await server.stop(1200)).to.equal(1);
    expect(performance.now() - began).to.be.at.least(1190);
  });

  for (const patience of [0, 1000]) {
    it(`closes a connection that asks nothing within ${patience} ms, and does not count it`, async () => {
      const idle = await send(GET);
      await once(idle, "data");
      expect(await server.stop(patience)).to.equal(0);
    });
  }

  it("answers for a while on an idle connection, also once it accepts no others", async () => {
    const kept = await send(GET);
    await once(kept, "data");
    const stopped = server.stop(10_000);
    await until(() => !server.server.listening);
    kept.write(GET);
    expect(await text(kept)).to.match(/Connection: close\r\n.*answered$/s);
    expect(await stopped).to.equal(0);
  });

  it("does not wait for half a head, nor for a client that asks nothing", async () => {
    await send("");
    await send("GET / HT");
    const kept = await send(GET);
    await once(kept, "data");
    kept.write("GET / HT");
    // Node leaves it open for longer than the patience.
    await once(await send(GET), "data");
    const began = performance.now();
    expect(await server.stop(60_000)).to.equal(0);
    expect(performance.now() - began).to.be.below(30_000);
  });

  it("carries out nothing behind the answer that closes a connection", async () => {
    const stopped = server.stop(10_000);
    const client = await send(GET.repeat(5));
    expect((await text(client)).match(/answered/g)).to.have.length(1);
    await stopped;
    expect(served).to.equal(1);
  });
});
