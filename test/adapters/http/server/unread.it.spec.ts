import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { CutReason } from "../../../../src/adapters/http/events.js";
import { eventually, until } from "../../../support/eventually.js";
import { type AppOptions, type StartedApp, startApp } from "../../../support/start-app.js";

const REQUEST = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";

describe("A client that pipelines requests and reads no answer", () => {
  let app: StartedApp;
  let cuts: CutReason[];
  const clients: Socket[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await app.close();
  });

  async function start(options: AppOptions): Promise<void> {
    cuts = [];
    app = await startApp(options);
    app.app.on("connectionCut", (reason) => cuts.push(reason));
  }

  async function pipeline(count: number): Promise<Socket> {
    const client = connect(app.port, "127.0.0.1").on("error", () => {});
    clients.push(client);
    await once(client, "connect");
    client.pause().write(REQUEST.repeat(count));
    return client;
  }

  const status = async () => (await fetch(`${app.origin}/openapi.json`)).status;

  it("leaves the places of other clients free", async () => {
    await start({ limits: { inFlight: 1, connections: 100 } });
    const hostile = await pipeline(1);
    // More than the operating system takes on for a connection.
    for (let count = 0; count < 60; count++) {
      await sleep(5);
      hostile.write(REQUEST);
    }
    for (let round = 0; round < 3; round++) expect(await status()).to.equal(200);
    expect(hostile.destroyed).to.equal(false);
  });

  it("gets every answer, in order, once it reads", async () => {
    await start({ limits: { inFlight: 100, connections: 100 } });
    const late = await pipeline(200);
    await sleep(300);
    late.write(REQUEST.replace("GET", "OPTIONS").replace("Host", "Connection: close\r\nHost"));
    let received = "";
    late.setEncoding("latin1").on("data", (text) => {
      received += text;
    });
    late.resume();
    await once(late, "close");
    expect(received.match(/HTTP\/1\.1 200 OK\r\n/g)).to.have.length(200);
    expect(received.slice(received.lastIndexOf("HTTP/1.1 "))).to.match(/^HTTP\/1\.1 204 /);
  });

  it("is cut once nothing has moved for a while", async () => {
    await start({ timeouts: { stalled: 300 } });
    const idle = await pipeline(250);
    // It never reads: the end of the connection reaches it behind the answers.
    await until(() => cuts.length > 0);
    expect(cuts).to.deep.equal(["stalled"]);
    idle.destroy();
  });

  it("is cut after a while, though it goes on sending a head that never ends", async () => {
    await start({ timeouts: { headers: 400 } });
    const hostile = await pipeline(250);
    hostile.write("GET /openapi.json HTTP/1.1\r\nX-Slow: ");
    const sending = setInterval(() => hostile.write("a"), 50);
    await new Promise((resolve) => hostile.once("close", resolve));
    clearInterval(sending);
    expect(cuts).to.deep.equal(["stalled"]);
  });

  it("is cut if more than 256 of its requests wait, and nobody else is", async () => {
    await start({ limits: { inFlight: 1000, connections: 100 } });
    const patient = await pipeline(200);
    await pipeline(1000);
    await eventually(() => cuts[0]);
    expect(cuts).to.deep.equal(["unread"]);
    expect(await status()).to.equal(200);
    let answers = 0;
    patient.setEncoding("latin1").on("data", (text) => {
      answers += String(text).match(/HTTP\/1\.1 200 OK\r\n/g)?.length ?? 0;
    });
    patient.resume();
    await until(() => answers === 200);
  });
});
