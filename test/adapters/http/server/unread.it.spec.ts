import diagnosticsChannel from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { CutReason } from "../../../../src/adapters/http/events.js";
import { get } from "../../../support/client.js";
import { arrival, until } from "../../../support/eventually.js";
import { head, openSocket } from "../../../support/raw-http.js";
import { hold, LongRepository } from "../../../support/repositories.js";
import { type AppOptions, type StartedApp, startApp } from "../../../support/start-app.js";

const REQUEST = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
const SMALL = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const LONG = head("GET /v1/pets HTTP/1.1");

describe("A client that pipelines requests and reads no answer", () => {
  let app: StartedApp;
  let cuts: CutReason[];
  afterEach(() => app.close());

  async function start(options: AppOptions): Promise<void> {
    cuts = [];
    app = await startApp({ repository: new LongRepository(), ...options });
    app.app.on("connectionCut", (reason) => cuts.push(reason));
  }

  async function textOf(socket: Socket): Promise<string> {
    let received = "";
    socket.setEncoding("latin1").on("data", (text) => (received += text));
    socket.resume();
    await once(socket, "close");
    return received;
  }

  const pipeline = async (requests: string) => (await openSocket(app.port, requests)).pause();

  const status = async () => (await get(app, "/openapi.json")).status;

  it("has few of them read before, and gets every answer, in order, once it reads", async () => {
    await start({ limits: { inFlight: 100, connections: 100 } });
    let requests = 0;
    const count = () => (requests += 1);
    diagnosticsChannel.subscribe("http.server.request.start", count);
    const late = await pipeline(LONG + SMALL.repeat(2000));
    late.write(REQUEST.replace("GET", "OPTIONS").replace("Host", "Connection: close\r\nHost"));
    await arrival();
    diagnosticsChannel.unsubscribe("http.server.request.start", count);
    expect(requests).to.equal(1);
    expect(await status()).to.equal(200);
    const received = await textOf(late);
    expect(received.match(/HTTP\/1\.1 404 /g)).to.have.length(2000);
    expect(received.slice(received.lastIndexOf("HTTP/1.1 "))).to.match(/^HTTP\/1\.1 204 /);
    expect(cuts).to.deep.equal([]);
  });

  it("is cut once nothing has moved for a while", async () => {
    await start({ timeouts: { stalled: 300 } });
    const idle = await pipeline(LONG);
    // It never reads: the end of the connection reaches it behind the answers.
    await until(() => cuts.length > 0);
    expect(cuts).to.deep.equal(["stalled"]);
    idle.destroy();
  });

  it("gets its answers though they take longer than a head may", async () => {
    const held = hold("list");
    await start({ timeouts: { headers: 1000, request: 1000 }, repository: held.repository });
    const body = "x".repeat(1000);
    const post = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n${body}`;
    const late = await pipeline(
      LONG + SMALL.repeat(100) + post + SMALL.replace("Host", "Connection: close\r\nHost"),
    );
    await sleep(2500);
    held.open();
    expect((await textOf(late)).match(/HTTP\/1\.1 (?:200|404) /g)).to.have.length(103);
    expect(cuts).to.deep.equal([]);
  });

  for (const [what, closer, wait] of [
    // The service has closed its end by then.
    ["Connection: close", SMALL.replace("Host", "Connection: close\r\nHost"), 1300],
    ["HTTP/1.0", SMALL.replace("1.1", "1.0"), 300],
    ["another expectation", SMALL.replace("Host", "Expect: a\r\nHost"), 300],
    ["an upgrade", SMALL.replace("Host", "Connection: upgrade\r\nUpgrade: h2c\r\nHost"), 300],
    ["what is no HTTP", "BAD\r\n\r\n", 300],
  ] as const) {
    it(`gets every answer before the close, whatever it sends behind ${what}`, async () => {
      await start({});
      const late = await pipeline(`${REQUEST.repeat(30)}${closer}${SMALL.repeat(20_000)}`);
      await sleep(wait);
      expect((await textOf(late)).match(/HTTP\/1\.1 \d/g)).to.have.length(31);
    });
  }

  it("gets one answer, even if the body of its request fails before it reads that", async () => {
    await start({});
    const late = await pipeline(head("GET /v1/pets HTTP/1.1", "Transfer-Encoding: chunked"));
    await arrival();
    late.write("zz\r\n");
    await arrival();
    const text = await textOf(late);
    expect(text.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(["HTTP/1.1 200"]);
    expect(text.endsWith("]")).to.equal(true);
  });

  it("is cut once nothing has moved for a while, though its request has not ended", async () => {
    await start({ timeouts: { stalled: 300, headers: 100, request: 100 } });
    const idle = await pipeline(head("GET /v1/pets HTTP/1.1", "Transfer-Encoding: chunked"));
    await until(() => cuts.length > 0);
    expect(cuts).to.deep.equal(["stalled"]);
    idle.destroy();
  });

  it("is cut after a while, though it goes on sending", async () => {
    await start({ timeouts: { stalled: 300 } });
    const hostile = await pipeline(`${LONG}GET /openapi.json HTTP/1.1\r\nX-Slow: `);
    const sending = setInterval(() => hostile.write("a"), 50);
    await until(() => cuts.length > 0);
    clearInterval(sending);
    hostile.destroy();
    expect(cuts).to.deep.equal(["stalled"]);
  });

  it("is cut after a while, though it goes on sending what is no HTTP", async () => {
    await start({ timeouts: { stalled: 300 } });
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on("warning", warned);
    const hostile = await pipeline(`${LONG}BAD\r\n\r\n`);
    await arrival();
    while (cuts.length === 0) {
      hostile.write("BAD\r\n\r\n");
      await sleep(10);
    }
    process.off("warning", warned);
    hostile.destroy();
    expect(cuts).to.deep.equal(["stalled"]);
    expect(warnings).to.deep.equal([]);
  });
});
