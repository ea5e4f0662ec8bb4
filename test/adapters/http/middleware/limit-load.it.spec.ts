import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import type { Pet } from "../../../../src/domain/pet.js";
import { type Answer, get } from "../../../support/client.js";
import { arrival, until } from "../../../support/eventually.js";
import { expectError } from "../../../support/expect-error.js";
import { head, RawConnection } from "../../../support/raw-http.js";
import { type AppOptions, type StartedApp, startApp } from "../../../support/start-app.js";

const LIST = head("GET /v1/pets HTTP/1.1");

/** Answers no list before the test calls `open`. */
class HeldRepository extends MemoryPetRepository {
  lists = 0;
  open: () => void = () => {};
  private readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  override async list(): Promise<Pet[]> {
    this.lists += 1;
    await this.opened;
    return [];
  }
}

describe("The limits on load", () => {
  let app: StartedApp;
  afterEach(() => app.close());

  async function start(inFlight: number, options: AppOptions = {}): Promise<void> {
    app = await startApp({ ...options, limits: { inFlight, connections: 100 } });
  }

  const list = () => get(app, "/v1/pets");
  const statusOfOrders = async () => (await get(app, "/v1/store/orders")).status;

  async function pipeline(requests: string): Promise<Socket> {
    const socket = connect(app.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(requests);
    return socket;
  }

  it("gives back the place of pipelined requests, one at a time, once their connection breaks", async () => {
    const repository = new HeldRepository();
    await start(1, { repository });
    const broken = await pipeline(LIST.repeat(3));
    while (repository.lists < 1) await sleep(1);
    expect(await statusOfOrders()).to.equal(503);
    broken.resetAndDestroy();
    await arrival();
    repository.open();
    await until(async () => (await statusOfOrders()) === 200);
    expect(repository.lists).to.equal(1);
  });

  it("gives back the place of a request once its answer is made, though its client does not read it", async () => {
    // Longer than what the operating system takes on for a connection.
    const pet: Pet = { id: 1n, name: "x".repeat(20_000_000), categoryId: 1n, status: "available" };
    class LongRepository extends MemoryPetRepository {
      override async list(): Promise<Pet[]> {
        return [pet];
      }
    }
    await start(2, { repository: new LongRepository() });
    const idle = (await pipeline(LIST.repeat(2))).pause();
    await sleep(200);
    expect(await statusOfOrders()).to.equal(200);
    idle.destroy();
    expect(await statusOfOrders()).to.equal(200);
  });

  describe("past the limit of requests in flight", () => {
    let repository: HeldRepository;
    let accepted: Promise<Answer>[];

    beforeEach(async () => {
      repository = new HeldRepository();
      await start(2, { repository });
      accepted = [list(), list()];
      while (repository.lists < 2) await sleep(1);
    });

    it("answers 503 at once, and still answers the requests that it has taken on", async () => {
      expectError(await list(), 503, "overloaded");
      repository.open();
      for (const { status } of await Promise.all(accepted)) expect(status).to.equal(200);
      expect(repository.lists).to.equal(2);
      for (let round = 0; round < 5; round += 1) expect((await list()).status).to.equal(200);
    });

    it("keeps the connection of a request that it refuses, and takes no place for one without a key", async () => {
      const connection = await RawConnection.open(app.port);
      for (let round = 0; round < 2; round += 1) {
        expectError(await connection.send(LIST).answer(), 503, "overloaded");
        connection.send("GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n");
        expectError(await connection.answer(), 401, "missing_credentials");
      }
      connection.close();
      repository.open();
      await Promise.all(accepted);
    });
  });

  it("give no place to a request whose body is on its way", async () => {
    await start(1);
    const body = '{"name":"Rex","categoryId":1}';
    const create = head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Content-Length: 29");
    const slow = await Promise.all([1, 2, 3].map(() => RawConnection.open(app.port)));
    for (const connection of slow) connection.send(create);
    await arrival();
    expect((await list()).status).to.equal(200);
    for (const connection of slow) {
      expect((await connection.send(body).answer()).status).to.equal(201);
      connection.close();
    }
  });

  it("counts the requests that it read in one turn, even if it answers each in no time", async () => {
    await start(3);
    const sockets = await Promise.all(Array.from({ length: 8 }, () => pipeline("")));
    await arrival();
    for (const socket of sockets) socket.write(head("GET /v1/pets HTTP/1.1", "Connection: close"));
    const answers = await Promise.all(sockets.map((socket) => text(socket)));
    expect(answers.filter((answer) => answer.startsWith("HTTP/1.1 200"))).to.have.length(3);
    expect(answers.filter((answer) => answer.startsWith("HTTP/1.1 503"))).to.have.length(5);
  });
});
