import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { stop } from "../../../src/adapters/http/stop.js";
import { until } from "../../support/eventually.js";
import { head, openSocket } from "../../support/raw-http.js";
import { type StartedApp, startApp, storageOver } from "../../support/start-app.js";
import { hold, LongRepository } from "./repositories.js";

const ORDERS = head("GET /v1/store/orders HTTP/1.1");
const LIST = head("GET /v1/pets HTTP/1.1");
const CREATE = head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Content-Length: 29");

const [IN_FLIGHT, REQUESTS] = ["petstore_http_requests_in_flight", "petstore_http_requests_total"];

describe("A server that stops", () => {
  let app: StartedApp;
  afterEach(() => app.close());

  /** A connection that has had an answer, and is idle. */
  async function keep() {
    const socket = await openSocket(app.port, ORDERS);
    await once(socket, "data");
    return socket;
  }

  it("answers on every connection that it accepts, and asks to close it", async () => {
    app = await startApp();
    const answers: Promise<string>[] = [];
    const open = () => connect(app.port, "127.0.0.1", () => client.write(ORDERS)).on("error", () => {});
    let client = open();
    // Another one follows each that it accepts.
    app.server.on("connection", () => {
      answers.push(text(client).catch(({ code }) => code));
      setTimeout(() => (client = open()), 5);
    });
    await until(() => answers.length > 10);
    const before = answers.length;
    expect(await stop(app.server, 10_000)).to.equal(0);
    const all = await Promise.all(answers);
    expect(all.filter((answer) => !answer.endsWith("[]"))).to.deep.equal([]);
    expect(all.slice(before).filter((answer) => !answer.includes("Connection: close\r\n"))).to.deep.equal([]);
    expect(all).to.have.length.above(before);
  });

  it("waits for an answer in flight, and asks to close its connection", async () => {
    const held = hold("list");
    app = await startApp({ storage: storageOver(held.repository) });
    const client = await openSocket(app.port, LIST);
    await until(() => held.asked === 1);
    const stopped = stop(app.server, 10_000);
    await until(() => !app.server.listening);
    held.open();
    expect(await text(client)).to.match(/^HTTP\/1\.1 200 .*Connection: close\r\n/s);
    expect(await stopped).to.equal(0);
  });

  for (const which of ["an idle", "a new"]) {
    it(`goes on answering on ${which} connection for a second`, async () => {
      app = await startApp();
      const kept = which === "an idle" ? await keep() : undefined;
      const stopped = stop(app.server, 10_000);
      await sleep(600);
      const client = kept ?? (await openSocket(app.port, ""));
      client.write(ORDERS);
      expect(await text(client)).to.match(/Connection: close\r\n/);
      expect(await stopped).to.equal(0);
    });
  }

  it("carries out nothing behind the answer that closes a connection", async () => {
    app = await startApp();
    const stopped = stop(app.server, 10_000);
    const client = await openSocket(app.port, LIST.repeat(5));
    expect((await text(client)).match(/HTTP\/1\.1 200/g)).to.have.length(1);
    await stopped;
    expect(await app.metric(REQUESTS)).to.equal(1);
  });

  it("does not wait for a client that asks nothing, or that has not sent a whole request", async () => {
    app = await startApp();
    await openSocket(app.port, "");
    await openSocket(app.port, "GET / HT");
    await openSocket(app.port, CREATE);
    (await keep()).write("GET / HT");
    await keep();
    await until(async () => (await app.metric(IN_FLIGHT)) === 1);
    const began = performance.now();
    expect(await stop(app.server, 60_000)).to.equal(0);
    expect(performance.now() - began).to.be.within(900, 30_000);
  });

  it("waits for a client that is still reading, and meanwhile for no other", async () => {
    app = await startApp({ storage: storageOver(new LongRepository()) });
    const slow = (await openSocket(app.port, LIST)).pause();
    await until(async () => (await app.metric(REQUESTS)) === 1);
    const kept = await keep();
    const stopped = stop(app.server, 30_000);
    await once(kept.resume(), "end");
    expect(app.server.responses.size).to.equal(1);
    expect((await text(slow)).endsWith("]")).to.equal(true);
    expect(await stopped).to.equal(0);
  });

  it("cuts a client that reads nothing after the time limit, not before, and counts it", async () => {
    app = await startApp({ storage: storageOver(new LongRepository()) });
    (await openSocket(app.port, LIST.repeat(3))).pause();
    await until(async () => (await app.metric(REQUESTS)) === 1);
    const began = performance.now();
    expect(await stop(app.server, 2000)).to.equal(1);
    expect(performance.now() - began).to.be.at.least(1990);
  });

  it("cuts what is in flight at once if it has no time, and does not count idle connections", async () => {
    const held = hold("list");
    app = await startApp({ storage: storageOver(held.repository) });
    await openSocket(app.port, LIST);
    await keep();
    await until(() => held.asked === 1);
    expect(await stop(app.server, 0)).to.equal(1);
    held.open();
  });
});
