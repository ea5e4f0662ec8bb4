import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type StartedApp, startApp } from "../../../support/start-app.js";

const REQUEST = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";

describe("One connection that pipelines requests and reads no answer", () => {
  let app: StartedApp;
  let hostile: Socket;
  afterEach(async () => {
    hostile.destroy();
    await app.close();
  });

  async function pipeline(count: number): Promise<void> {
    hostile = connect(app.port, "127.0.0.1").on("error", () => {});
    await once(hostile, "connect");
    hostile.pause().write(REQUEST.repeat(count));
    await sleep(300);
  }

  it("leaves the places of the others free", async () => {
    app = await startApp({ limits: { inFlight: 500, connections: 100 } });
    await pipeline(1000);
    for (let round = 0; round < 3; round++)
      expect((await fetch(`${app.origin}/openapi.json`)).status).to.equal(200);
  });

  it("gets every answer, in order, once it reads", async () => {
    app = await startApp({ limits: { inFlight: 100, connections: 100 } });
    await pipeline(200);
    hostile.write(REQUEST.replace("GET", "OPTIONS").replace("Host", "Connection: close\r\nHost"));
    let received = "";
    hostile.setEncoding("latin1").on("data", (text) => {
      received += text;
    });
    hostile.resume();
    await once(hostile, "close");
    expect(received.match(/HTTP\/1\.1 200 OK\r\n/g)).to.have.length(200);
    expect(received.slice(received.lastIndexOf("HTTP/1.1 "))).to.match(/^HTTP\/1\.1 204 /);
  });

  it("is cut after a while, also if it goes on sending", async () => {
    app = await startApp({ timeouts: { stalled: 400 } });
    await pipeline(1000);
    const sending = setInterval(() => hostile.write(REQUEST), 50);
    const cut = new Promise((resolve) => hostile.once("close", () => resolve("cut")));
    const closed = await Promise.race([cut, sleep(8000).then(() => "kept")]);
    clearInterval(sending);
    expect(closed).to.equal("cut");
  });
});
