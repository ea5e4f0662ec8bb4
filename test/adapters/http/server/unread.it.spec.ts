import diagnosticsChannel from "node:diagnostics_channel";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { CutReason } from "../../../../src/adapters/http/events.js";
import { get } from "../../../support/client.js";
import { arrival, until } from "../../../support/eventually.js";
import { head, openSocket } from "../../../support/raw-http.js";
import { LongRepository } from "../../../support/repositories.js";
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
    expect(requests).to.be.within(1, 80);
    expect(await status()).to.equal(200);
    let received = "";
    late.setEncoding("latin1").on("data", (text) => (received += text));
    late.resume();
    await once(late, "close");
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

  it("is cut after a while, though it goes on sending a head that never ends", async () => {
    await start({ timeouts: { headers: 400 } });
    const hostile = await pipeline(LONG);
    hostile.write("GET /openapi.json HTTP/1.1\r\nX-Slow: ");
    const sending = setInterval(() => hostile.write("a"), 50);
    await new Promise((resolve) => hostile.once("close", resolve));
    clearInterval(sending);
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
