import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { until } from "../../support/eventually.js";
import { head, openSocket } from "../../support/raw-http.js";
import { type StartedApp, startApp, storageOver } from "../../support/start-app.js";
import { fill, hold, LISTS, LONG_LISTS } from "./repositories.js";

const ORDERS = head("GET /v1/store/orders HTTP/1.1");
const LIST = head("GET /v1/pets HTTP/1.1");
const BODY = '{"name":"Rex","categoryId":1}';
const START = head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Content-Length: 29");

const NEVER = 60_000;

describe("A server that stops", () => {
  let app: StartedApp;
  afterEach(() => app.close());

  /** Opens a connection that has received a response and is idle. */
  async function keep() {
    const socket = await openSocket(app.port, ORDERS);
    await once(socket, "data");
    return socket;
  }

  it("responds on every connection that it accepts, and asks to close it", async () => {
    app = await startApp();
    const responses: Promise<string>[] = [];
    const open = () => connect(app.port, "127.0.0.1", () => client.write(ORDERS)).on("error", () => {});
    let client = open();
    app.server.on("connection", () => {
      responses.push(text(client).catch(({ code }) => code));
      setTimeout(() => (client = open()), 5);
    });
    expect(await app.server.stop(NEVER)).to.equal(0);
    const all = await Promise.all(responses);
    expect(all.filter((response) => !/Connection: close\r\n.*\[\]$/s.test(response))).to.deep.equal([]);
    expect(all).to.have.length.above(10);
  });

  it("responds on a connection that it kept for almost a second, or accepted just before it closed the port", async () => {
    app = await startApp();
    const kept = await keep();
    const stopped = app.server.stop(NEVER);
    await sleep(800);
    kept.write(ORDERS);
    const late = await openSocket(app.port, "");
    expect(await text(kept)).to.contain("Connection: close\r\n");
    await until(() => !app.server.listening);
    late.write(ORDERS);
    expect(await text(late)).to.contain("Connection: close\r\n");
    expect(await stopped).to.equal(0);
  });

  it("is not held by a client that never ceases to send requests", async () => {
    const slow = storageOver();
    const { create } = slow.pets;
    slow.pets.create = async (pet) => sleep(50).then(() => create.call(slow.pets, pet));
    app = await startApp({ storage: slow });
    const socket = (await openSocket(app.port, "")).resume().on("error", () => {});
    const sending = setInterval(() => socket.write(START + BODY), 5);
    expect(await app.server.stop(5000)).to.equal(0);
    clearInterval(sending);
  });

  it("responds to every request that it carries out, pipelined or in flight, and closes with the last response", async () => {
    const held = hold("create");
    app = await startApp({ storage: held.storage });
    const client = await openSocket(app.port, START + BODY);
    await until(() => held.calls === 1);
    const stopped = app.server.stop(NEVER);
    client.write((START + BODY).repeat(2));
    await until(() => held.calls === 3);
    held.open();
    const received = await text(client);
    expect(received.match(/201 Created/g)).to.have.length(3);
    expect(received.match(/Connection: close/g)).to.have.length(1);
    expect(await stopped).to.equal(0);
  });

  it("carries out no request after the last response", async () => {
    app = await startApp({ storage: await fill(storageOver()) });
    const client = (await openSocket(app.port, LONG_LISTS)).pause();
    const stopped = app.server.stop(NEVER);
    const responses = () => [...app.server.responses.values()][0] ?? [];
    await until(() => responses().at(-1)?.headersSent === true);
    client.write(START + BODY);
    expect((await text(client)).match(/HTTP\/1\.1 \d+/g)).to.have.length(LISTS);
    expect(await app.storage.pets.get(101n)).to.equal(undefined);
    expect(await stopped).to.equal(0);
  });

  it("does not wait for a client that has sent no request, or not a whole one", async () => {
    app = await startApp();
    await openSocket(app.port, "");
    await openSocket(app.port, "GET / HT");
    const slow = await openSocket(app.port, START);
    const trickle = setInterval(() => slow.write(" "), 100).unref();
    await keep();
    await until(() => app.server.responses.size === 4);
    expect(await app.server.stop(NEVER)).to.equal(0);
    clearInterval(trickle);
  });

  it("cuts only the client that takes no byte, and waits for the others", async () => {
    const storage = storageOver();
    // A single response exceeds the operating system's buffers.
    const name = "x".repeat(200_000);
    for (let n = 0; n < 100; n++) await storage.pets.create({ name, categoryId: 1n, status: "available" });
    app = await startApp({ storage });
    const page = head("GET /v1/pets?limit=100 HTTP/1.1");
    const reading = (await openSocket(app.port, page)).pause();
    (await openSocket(app.port, page)).pause();
    const written = () => [...app.server.responses.values()].filter(([response]) => response?.writableEnded);
    await until(() => written().length === 2);
    const stopped = app.server.stop(NEVER);
    let read = 0;
    for (const startedAt = performance.now(); performance.now() - startedAt < 3000; await sleep(20)) {
      read += reading.read(Math.min(40_000, reading.readableLength))?.length ?? 0;
      reading.read(0);
    }
    expect(app.server.responses.size, "the other one is cut").to.equal(1);
    expect(read + (await text(reading)).length).to.be.above(20_000_000);
    expect(await stopped).to.equal(1);
  });

  it("cuts requests in flight once its time is over, and does not count idle connections", async () => {
    const held = hold("list");
    app = await startApp({ storage: held.storage });
    await openSocket(app.port, LIST);
    await keep();
    await until(() => held.calls === 1);
    expect(await app.server.stop(0)).to.equal(1);
    held.open();
  });
});
