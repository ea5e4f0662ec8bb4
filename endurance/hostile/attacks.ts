import { setTimeout as sleep } from "node:timers/promises";
import { head } from "../../test/support/raw-http.js";
import type { Clock } from "../clock.js";
import type { Answer, Exchange } from "../history/exchange.js";
import type { History } from "../history/history.js";
import type { PlannedPet } from "../history/planned-pets.js";
import type { Random } from "../random.js";
import type { HostileConnection } from "./hostile-connection.js";

export interface Battlefield {
  connect(): Promise<HostileConnection>;
  readonly history: History;
  readonly random: Random;
  readonly clock: Clock;
}

export interface Attack {
  readonly name: string;
  /** @throws Error if the service breaks a rule */
  play(field: Battlefield): Promise<void>;
}

const LIST = head("GET /v1/pets?limit=100 HTTP/1.1");

/** How long the service waits for a head, or a whole request, and what a loaded machine adds, in milliseconds. */
const HEAD_LIMIT = 10_000 + 8000;

export const ATTACKS: readonly Attack[] = [
  {
    name: "pipelines without reading",
    async play({ connect, random }) {
      const connection = await connect();
      const sent = random.between(50, 400);
      connection.send(LIST.repeat(sent));
      await sleep(random.between(1000, 8000));
      if (random.chance(0.5)) return connection.reset();
      for (let read = 0; read < sent; read++)
        expectStatus(await connection.describedAnswer(15_000), 200, 503);
    },
  },
  {
    name: "pipelines creates",
    async play({ connect, history, random, clock }) {
      const connection = await connect();
      const pets = Array.from({ length: random.between(2, 20) }, () => history.plan());
      const begun = clock.now();
      connection.send(Buffer.concat(pets.map(wholeCreate)));
      for (const pet of pets) {
        const answer = await connection.describedAnswer();
        expectStatus(answer, 201, 503);
        if (answer?.status === 201) acknowledge(history, pet, answer, begun, clock);
      }
    },
  },
  {
    name: "sends half a head",
    async play({ connect, random }) {
      const connection = await connect();
      connection.send(LIST.slice(0, random.between(1, LIST.length - 3)));
      if (random.chance(0.3)) return connection.reset();
      expectStatus(await connection.describedAnswer(HEAD_LIMIT), 408);
    },
  },
  {
    name: "sends a body slowly",
    async play({ connect, history, random, clock }) {
      const connection = await connect();
      const pet = history.plan();
      const bytes = wholeCreate(pet);
      const begun = clock.now();
      const parts = random.between(3, 12);
      for (let part = 0; part < parts; part++) {
        const [from, to] = [part, part + 1].map((n) => Math.floor((bytes.length * n) / parts));
        connection.send(bytes.subarray(from, to));
        await sleep(random.between(50, 600));
      }
      const answer = await connection.describedAnswer();
      expectStatus(answer, 201, 503);
      if (answer?.status === 201) acknowledge(history, pet, answer, begun, clock);
    },
  },
  {
    name: "breaks off in the middle of a body",
    async play({ connect, history, random }) {
      const connection = await connect();
      const pet = history.plan();
      history.refuse(pet);
      const bytes = wholeCreate(pet);
      connection.send(bytes.subarray(0, bytes.length - random.between(1, pet.body.length - 1)));
      await sleep(random.between(0, 500));
      const end = random.pick(["reset", "close", "half"]);
      if (end === "reset") connection.reset();
      else if (end === "close") connection.close();
      else expectStatus(await connection.finishSending().describedAnswer(), 400);
    },
  },
  {
    name: "resets after the request",
    async play({ connect, random }) {
      const connection = await connect();
      connection.send(LIST);
      await sleep(random.between(0, 5));
      connection.reset();
    },
  },
  {
    name: "sends garbage",
    async play({ connect, random }) {
      const connection = await connect();
      const bytes = Buffer.from(Array.from({ length: random.between(1, 300) }, () => random.between(0, 255)));
      connection.send(bytes).send("\r\n\r\n");
      expectStatus(await connection.describedAnswer(HEAD_LIMIT), 400, 408, 431);
    },
  },
  {
    name: "sends a head that is too large",
    async play({ connect }) {
      const connection = await connect();
      connection.send(head("GET /v1/pets HTTP/1.1", `X-Large: ${"x".repeat(40_000)}`));
      expectStatus(await connection.describedAnswer(), 431);
    },
  },
  {
    name: "sends a body that is too large",
    async play({ connect }) {
      const connection = await connect();
      const body = "x".repeat(50_000);
      connection.send(
        head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", `Content-Length: ${body.length}`) +
          body,
      );
      expectStatus(await connection.describedAnswer(), 413);
    },
  },
  {
    name: "opens many connections",
    async play({ connect, random }) {
      const connections = await Promise.all(Array.from({ length: random.between(20, 150) }, connect));
      await sleep(random.between(500, 4000));
      for (const connection of connections) if (random.chance(0.5)) connection.reset();
    },
  },
];

function wholeCreate({ key, body }: PlannedPet): Buffer {
  const bytes = Buffer.from(body);
  const lines = ["Content-Type: application/json", `Content-Length: ${bytes.length}`];
  if (key) lines.push(`Idempotency-Key: ${key}`);
  return Buffer.concat([Buffer.from(head("POST /v1/pets HTTP/1.1", ...lines), "latin1"), bytes]);
}

/** Without an answer the connection has ended, by a time-out, or because the client did not read. */
function expectStatus(answer: Answer | undefined, ...expected: readonly number[]): void {
  if (answer && !expected.includes(answer.status)) {
    throw new Error(`the answer is ${answer.status} ${answer.text}, not ${expected.join(" or ")}`);
  }
}

function acknowledge(history: History, pet: PlannedPet, answer: Answer, begun: number, clock: Clock): void {
  const headers = pet.key ? { "Idempotency-Key": pet.key } : undefined;
  const exchange: Exchange = {
    method: "POST",
    path: "/v1/pets",
    headers: { ...headers },
    body: pet.body,
    begun,
    took: clock.now() - begun,
    lost: 0,
    answer,
    failure: undefined,
  };
  history.acknowledge(pet, answer.text, exchange);
}
