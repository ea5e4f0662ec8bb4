import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { stop } from "../../../src/adapters/http/stop.js";
import { until } from "../../support/eventually.js";
import { head, openSocket } from "../../support/raw-http.js";
import { type StartedApp, startApp, storageOver } from "../../support/start-app.js";
import { fill, hold, LISTS, LONG_LISTS } from "./repositories.js";

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
    app = await startApp({ storage: held.storage });
    const client = await openSocket(app.port, LIST);
    await until(() => held.calls === 1);
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

  it("does not wait for a client that asks nothing, or that has not sent a whole request", async () => {
    app = await startApp();
    await openSocket(app.port, "");
    await openSocket(app.port, "GET / HT");
    await openSocket(app.port, CREATE);
    (await keep()).write("GET / HT");
    await keep();
    await until(async () => (await app.metric(IN_FLIGHT)) === 1);
    expect(await stop(app.server, 60_000)).to.equal(0);
  });

  it("cuts only the client that reads nothing, closes the port, and waits for a request in flight", async () => {
    const held = hold("get");
    app = await startApp({ storage: await fill(held.storage) });
    const slow = await openSocket(app.port, head("GET /v1/pets/1 HTTP/1.1"));
    (await openSocket(app.port, LONG_LISTS)).pause();
    await until(async () => held.calls === 1 && (await app.metric(REQUESTS)) === LISTS);
    const stopped = stop(app.server, 60_000);
    await until(() => !app.server.listening);
    held.open();
    // 503 if the machine is so slow that the guard has abandoned it; but whole.
    expect(await text(slow)).to.match(/^HTTP\/1\.1 (?:200|503) .*\}$/s);
    expect(await stopped).to.equal(1);
  });

  it("waits for a client that is still reading", async () => {
    app = await startApp({ storage: await fill(storageOver()) });
    const slow = (await openSocket(app.port, LONG_LISTS)).pause();
    await until(async () => (await app.metric(REQUESTS)) === LISTS);
    const stopped = stop(app.server, 60_000);
    await sleep(1500);
    expect((await text(slow)).match(/HTTP\/1\.1 200 OK/g)).to.have.length(LISTS);
    expect(await stopped).to.equal(0);
  });

  it("cuts what is in flight at once if it has no time, and does not count idle connections", async () => {
    const held = hold("list");
    app = await startApp({ storage: held.storage });
    await openSocket(app.port, LIST);
    await keep();
    await until(() => held.calls === 1);
    expect(await stop(app.server, 0)).to.equal(1);
    held.open();
  });
});
