import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import type { Pet } from "../../../../src/domain/pet.js";
import { get as getAnswer, post } from "../../../support/client.js";
import { eventually } from "../../../support/eventually.js";
import { expectError } from "../../../support/expect-error.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

const AUTHORIZED = { Authorization: `Bearer ${API_KEY}` };

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
  afterEach(async () => {
    await app.close();
  });

  it("gives back the place of pipelined requests, one at a time, once their connection breaks", async () => {
    const repository = new HeldRepository();
    app = await startApp({ repository, limits: { inFlight: 1, connections: 100 } });
    const broken = await pipeline(3);
    while (repository.lists < 1) await sleep(1);
    expect((await getAnswer(app, "/v1/store/orders")).status).to.equal(503);
    broken.resetAndDestroy();
    await sleep(50);
    repository.open();
    await eventually(
      async () => (await getAnswer(app, "/v1/store/orders")).status === 200 || undefined,
      1000,
    );
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
    app = await startApp({ repository: new LongRepository(), limits: { inFlight: 2, connections: 100 } });
    const status = async () => (await getAnswer(app, "/v1/store/orders")).status;
    const idle = (await pipeline(2)).pause();
    await sleep(200);
    expect(await status()).to.equal(200);
    idle.destroy();
    expect(await status()).to.equal(200);
  });

  async function pipeline(count: number): Promise<Socket> {
    const socket = connect(app.port, "127.0.0.1");
    await once(socket, "connect");
    const { Authorization } = AUTHORIZED;
    const request = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${Authorization}\r\n\r\n`;
    socket.write(request.repeat(count));
    return socket;
  }

  describe("past the limit of requests in flight", () => {
    let repository: HeldRepository;
    let accepted: Promise<Response>[];

    beforeEach(async () => {
      repository = new HeldRepository();
      app = await startApp({ repository, limits: { inFlight: 2, connections: 100 } });
      accepted = [list(), list()];
      while (repository.lists < 2) await sleep(1);
    });

    function list(headers: Record<string, string> = AUTHORIZED): Promise<Response> {
      return fetch(`${app.origin}/v1/pets`, { headers });
    }

    it("answers 503 at once, and still answers the requests that it has taken on", async () => {
      const refused = await list();
      expect(refused.status).to.equal(503);
      expect(refused.headers.get("x-request-id")).to.match(/^[\w-]{36}$/);
      expect(refused.headers.get("retry-after")).to.equal("1");
      expect(refused.headers.get("content-type")).to.equal("application/json");
      const body = await refused.json();
      expect(body).to.deep.include({ code: "overloaded", status: 503 });
      expect(body).to.have.all.keys("code", "message", "status");

      repository.open();
      for (const answer of await Promise.all(accepted)) expect(answer.status).to.equal(200);
      expect(repository.lists).to.equal(2);
    });

    it("asks nothing of a request that it refuses, not even its key, and keeps the connection", async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const [first, second] = [await ask(agent), await ask(agent)];
      expect([first.status, second.status]).to.deep.equal([503, 503]);
      expect(first.port).to.equal(second.port);
      agent.destroy();
      repository.open();
      await Promise.all(accepted);
    });

    it("takes on requests again once it has answered the earlier ones", async () => {
      repository.open();
      await Promise.all(accepted.map(async (answer) => (await answer).text()));
      for (let round = 0; round < 5; round += 1) expect((await list()).status).to.equal(200);
    });

    it("no longer counts a request whose client went away", async () => {
      const socket = connect({ port: app.port, host: "127.0.0.1" });
      socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${AUTHORIZED.Authorization}\r\n\r\n`);
      expect(await text(socket.once("data", () => socket.end()))).to.contain("503");
      repository.open();
      await Promise.all(accepted.map(async (answer) => (await answer).text()));

      for (let round = 0; round < 3; round += 1) {
        const leaving = connect({ port: app.port, host: "127.0.0.1" });
        const { Authorization } = AUTHORIZED;
        leaving.write(
          `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${Authorization}\r\n` +
            "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n",
        );
        await sleep(20);
        leaving.destroy();
      }
      await sleep(20);
      expect((await list()).status).to.equal(200);
    });
  });

  it("counts the requests that it read in one turn, even if it answers each in no time", async () => {
    app = await startApp({ limits: { inFlight: 3, connections: 100 } });
    const request = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${AUTHORIZED.Authorization}\r\n`;
    const sockets = Array.from({ length: 8 }, () => connect({ port: app.port, host: "127.0.0.1" }));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await sleep(20);
    for (const socket of sockets) socket.write(`${request}Connection: close\r\n\r\n`);
    const answers = await Promise.all(sockets.map((socket) => text(socket)));
    expect(answers.filter((answer) => answer.startsWith("HTTP/1.1 200"))).to.have.length(3);
    expect(answers.filter((answer) => answer.startsWith("HTTP/1.1 503"))).to.have.length(5);
  });

  it("answers as the API document describes it", async () => {
    app = await startApp({ limits: { inFlight: 0, connections: 100 } });
    expectError(await getAnswer(app, "/v1/pets"), 503, "overloaded");
    expectError(await post(app, "{}"), 503, "overloaded");
    const deprecated = await getAnswer(app, "/v1/pets/1");
    expectError(deprecated, 503, "overloaded");
    expect(deprecated.headers).to.include.keys("deprecation", "sunset", "link");
  });

  it("tells its observer of each request that it refuses", async () => {
    let shed = 0;
    app = await startApp({
      limits: { inFlight: 0, connections: 100 },
      observer: {
        requestShed() {
          shed += 1;
        },
      },
    });
    await fetch(`${app.origin}/v1/pets`, { method: "HEAD" });
    await fetch(`${app.origin}/v1/pets`, { method: "POST", body: "{}" });
    expect(shed).to.equal(2);
  });

  function ask(agent: Agent): Promise<{ status?: number; connection?: string; port?: number }> {
    return new Promise((resolve, reject) => {
      get(`${app.origin}/v1/pets`, { agent }, (response) => {
        const { statusCode: status, headers, socket } = response;
        const answer = { status, connection: headers.connection, port: socket.localPort };
        response.resume().on("end", () => resolve(answer as object));
      }).on("error", reject);
    });
  }
});
