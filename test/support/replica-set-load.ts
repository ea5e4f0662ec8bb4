import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { expectDescribed } from "./described.js";
import { E2E_KEY, petsClient } from "./pets-client.js";
import type { Election, ReplicaSet } from "./replica-set.js";

/** The longest wait for an answer, and for service after an election, in milliseconds. */
const ANSWERED_WITHIN = 5000;
const HEALED_WITHIN = 3000;

const WRITERS = 6;
const READERS = 3;

/** How long a client waits after a 503, in milliseconds. */
const PAUSE = 20;

interface Acknowledged {
  /** The JSON text of the pet. */
  readonly pet: string;
  readonly body: string;
  readonly key: string | undefined;
}

/** Clients that create and read all the time, and compare every answer with earlier ones. */
export class Load {
  /** The acknowledged pets, by id. */
  readonly acknowledged = new Map<string, Acknowledged>();
  /** The faults that the clients have seen, each once. */
  readonly problems = new Set<string>();
  /** The number of answers of each status. */
  readonly statuses: Record<number, number> = {};
  private readonly createdAt: number[] = [];
  private readonly clients: Promise<void>[];
  private running = true;
  private bodies = 0;

  constructor(
    private readonly origin: string,
    private readonly set: ReplicaSet,
  ) {
    const writers = Array.from({ length: WRITERS }, (_, n) => this.write(n % 2 === 0));
    const clients = [...writers, ...Array.from({ length: READERS }, () => this.read())];
    this.clients = clients.map((client) =>
      client.catch((error) => {
        this.running = false;
        this.problems.add(`no answer: has the process ended? ${error.cause ?? error}`);
      }),
    );
  }

  /** Resolves with the first create acknowledged after the election. If that is late, it notes a problem. */
  async healedAfter({ at }: Election, what = "an"): Promise<void> {
    const healed = () => this.createdAt.find((time) => time > at);
    while (!healed() && performance.now() < at + 2 * HEALED_WITHIN) await sleep(5);
    const took = (healed() ?? Number.POSITIVE_INFINITY) - at;
    if (took > HEALED_WITHIN) this.problems.add(`healed ${took.toFixed(0)} ms after ${what} election`);
  }

  /** Ends the load, and compares the acknowledged pets with the stored ones. */
  async verify(): Promise<void> {
    this.running = false;
    await Promise.all(this.clients);
    const stored = await this.allStored();
    const pets = new Set(stored);
    const lost = [...this.acknowledged.values()].filter(({ pet }) => !pets.has(pet));
    for (const { pet } of lost) this.problems.add(`acknowledged and lost or changed: ${pet}`);
    const names = stored.map((pet) => /"name":"[^"]*"/.exec(pet)?.[0]);
    if (new Set(names).size < names.length) this.problems.add("a create was carried out twice");
    for (const { pet, body, key } of this.acknowledged.values()) {
      if (!key) continue;
      const { status, text, headers } = await this.send("POST", "/v1/pets", { body, key });
      const replayed = headers.get("Idempotency-Replayed") === "true";
      if (status !== 201 || text !== pet || !replayed) this.problems.add(`no replay but ${status} ${text}`);
    }
    const problems = [...this.problems];
    expect(problems, problems.slice(0, 5).join("\n")).to.deep.equal([]);
    expect(this.acknowledged.size).to.be.greaterThan(0);
    const { weakReads, weakWrites, secondaryReads } = this.set.stats;
    expect({ weakReads, weakWrites, secondaryReads }).to.deep.equal({
      weakReads: 0,
      weakWrites: 0,
      secondaryReads: 0,
    });
    expect(this.set.faults).to.deep.equal([]);
  }

  /** Lists may heal half a second after creates: the storage is asked for each by itself. */
  private async allStored(): Promise<string[]> {
    for (const until = performance.now() + HEALED_WITHIN; ; await sleep(PAUSE)) {
      try {
        return await petsClient(this.origin).all();
      } catch (error) {
        if (performance.now() > until) throw error;
      }
    }
  }

  private async write(keyed: boolean): Promise<void> {
    while (this.running) {
      const number = ++this.bodies;
      const body = `{"name":"pet ${number}","categoryId":${2n ** 62n + BigInt(number)},"status":"sold"}`;
      const key = keyed ? `key-${number}` : undefined;
      // A create under a key is repeated until it is acknowledged, even if the load should end.
      for (const until = performance.now() + 20_000; performance.now() < until; ) {
        const { status, text } = await this.send("POST", "/v1/pets", { body, key });
        if (status === 201) this.acknowledge(text, body, key);
        if (status === 201 || !keyed) break;
        await sleep(PAUSE);
      }
      await sleep(Math.random() * PAUSE);
    }
  }

  private acknowledge(pet: string, body: string, key: string | undefined): void {
    const [, id = ""] = /"id":(\d+)/.exec(pet) ?? [];
    if (this.set.unconfirmed(BigInt(id))) this.problems.add(`acknowledged without a majority: ${pet}`);
    if (pet.replace(`"id":${id},`, "") !== body) this.problems.add(`${pet} for ${body}`);
    if (this.acknowledged.has(id)) this.problems.add(`id ${id} was given twice`);
    this.acknowledged.set(id, { pet, body, key });
    this.createdAt.push(performance.now());
  }

  private async read(): Promise<void> {
    while (this.running) {
      const known = [...this.acknowledged];
      const [id, { pet }] = known[Math.floor(Math.random() * known.length)] ?? [undefined, { pet: "" }];
      if (id) {
        const { status, text } = await this.send("GET", `/v1/pets/${id}`);
        if (status !== 503 && text !== pet) this.problems.add(`get ${id} answered ${status} ${text}`);
        const list = await this.send("GET", "/v1/pets?status=sold&limit=5");
        if (list.status === 503) await sleep(PAUSE);
      }
      await sleep(Math.random() * PAUSE);
    }
  }

  private async send(
    method: string,
    path: string,
    { body, key }: { body?: string; key?: string | undefined } = {},
  ) {
    const begun = performance.now();
    const headers = {
      Authorization: `Bearer ${E2E_KEY}`,
      ...(body && { "Content-Type": "application/json" }),
      ...(key && { "Idempotency-Key": key }),
    };
    const response = await fetch(this.origin + path, { method, headers, ...(body && { body }) });
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    const took = performance.now() - begun;
    this.statuses[answer.status] = (this.statuses[answer.status] ?? 0) + 1;
    if (![200, 201, 503].includes(answer.status))
      this.problems.add(`${method} got ${answer.status} ${answer.text}`);
    if (took > ANSWERED_WITHIN)
      this.problems.add(`${method} got ${answer.status} after ${took.toFixed(0)} ms`);
    expectDescribed(method, path, { ...answer, headers: Object.fromEntries(response.headers) });
    return answer;
  }
}
