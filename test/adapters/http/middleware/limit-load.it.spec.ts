import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { get } from "../../../support/client.js";
import { arrival, until } from "../../../support/eventually.js";
import { head, openSocket, RawConnection } from "../../../support/raw-http.js";
import { hold, LongRepository } from "../../../support/repositories.js";
import { type AppOptions, type StartedApp, startApp } from "../../../support/start-app.js";

const LIST = head("GET /v1/pets HTTP/1.1");

describe("The limits on load", () => {
  let app: StartedApp;
  afterEach(() => app.close());

  async function start(inFlight: number, options: AppOptions = {}): Promise<void> {
    app = await startApp({ ...options, limits: { inFlight, connections: 1000 } });
  }

  const statusOfOrders = async () => (await get(app, "/v1/store/orders")).status;

  const pipeline = (requests: string) => openSocket(app.port, requests);

  it("gives back the place of pipelined requests, one at a time, once their connection breaks", async () => {
    const held = hold("list");
    await start(1, { repository: held.repository });
    const broken = await pipeline(LIST.repeat(3));
    await until(() => held.asked === 1);
    expect(await statusOfOrders()).to.equal(503);
    broken.resetAndDestroy();
    await arrival();
    held.open();
    await until(async () => (await statusOfOrders()) === 200);
    expect(held.asked).to.equal(1);
  });

  it("gives back the place of a request once its answer is made, though its client does not read it", async () => {
    await start(2, { repository: new LongRepository() });
    const idle = (await pipeline(LIST.repeat(2))).pause();
    await sleep(200);
    expect(await statusOfOrders()).to.equal(200);
    idle.destroy();
    expect(await statusOfOrders()).to.equal(200);
  });

  it("give no place to a request whose body is on its way", async () => {
    await start(1);
    const body = '{"name":"Rex","categoryId":1}';
    const create = head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Content-Length: 29");
    const slow = await Promise.all([1, 2, 3].map(() => RawConnection.open(app.port)));
    for (const connection of slow) connection.send(create);
    await arrival();
    expect(await statusOfOrders()).to.equal(200);
    for (const connection of slow) {
      expect((await connection.send(body).answer()).status).to.equal(201);
      connection.close();
    }
  });

  for (const [what, places, count, served] of [
    ["counts the requests that it read in one turn, even if it answers each in no time", 3, 8, 3],
    ["gives back the places of those that have their answers after 64 of a turn", 100, 200, 200],
  ] as const) {
    it(what, async () => {
      await start(places);
      const sockets = await Promise.all(Array.from({ length: count }, () => pipeline("")));
      await arrival();
      for (const socket of sockets) socket.write(head("GET /v1/pets HTTP/1.1", "Connection: close"));
      const answers = await Promise.all(sockets.map((socket) => text(socket)));
      const refused = answers.filter((answer) => answer.startsWith("HTTP/1.1 503"));
      expect(refused).to.have.length(sockets.length - served);
      expect(answers.filter((answer) => answer.startsWith("HTTP/1.1 200"))).to.have.length(served);
    });
  }
});
