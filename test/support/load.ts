import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type Answer, allPets, get, post, type RequestOptions, type Served } from "./client.js";

/** The longest wait for an answer in milliseconds: the service refuses after 4.5 s, and a busy machine takes its time. */
const ANSWERED_WITHIN = 6000;

/** The longest wait for service after a fault, in milliseconds. */
const HEALED_WITHIN = 3000;

const WRITERS = 6;
const READERS = 3;

/** How long a client waits after a request that failed, and at most between two requests, in milliseconds. */
const PAUSE = 20;

interface Acknowledged {
  /** The JSON text of the pet. */
  readonly pet: string;
  readonly body: string;
  readonly key: string | undefined;
}

interface LoadOptions {
  /** Whether the service is restarted meanwhile, so that requests may get no answer. */
  readonly restarts?: boolean;
  /** Whether the storage could still lose an acknowledged pet. */
  readonly unconfirmed?: (id: bigint) => boolean;
  /** Whether each request opens a connection. */
  readonly newConnections?: boolean;
}

/** Clients that create and read all the time, and compare every answer with earlier ones. Half of the creates have keys. */
export class Load {
  /** The acknowledged pets, by id. */
  readonly acknowledged = new Map<string, Acknowledged>();
  /** The faults that the clients have seen, each once. */
  readonly problems = new Set<string>();
  /** The number of answers of each status. */
  readonly statuses: Record<number, number> = {};
  /** How long the slowest get or list took, in milliseconds. */
  slowestRead = 0;
  private readonly createdAt: number[] = [];
  private readonly clients: Promise<void>[];
  private running = true;
  private bodies = 0;

  constructor(
    private readonly app: Served,
    private readonly options: LoadOptions = {},
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

  /** Resolves with the first create acknowledged after a time by `performance.now()`. If that is late, it notes a problem. */
  async healedAfter(at: number, what = "an election", within = HEALED_WITHIN): Promise<void> {
    const healed = () => this.createdAt.find((time) => time > at);
    while (!healed() && performance.now() < at + 2 * within) await sleep(5);
    const took = (healed() ?? Number.POSITIVE_INFINITY) - at;
    if (took > within) this.problems.add(`healed ${took.toFixed(0)} ms after ${what}`);
  }

  async end(): Promise<void> {
    this.running = false;
    await Promise.all(this.clients);
  }

  /** Ends the load, compares the acknowledged pets with the stored ones, and asserts that nobody saw a fault. */
  async verify(): Promise<void> {
    await this.end();
    const stored = await this.allStored();
    const pets = new Set(stored);
    const lost = [...this.acknowledged.values()].filter(({ pet }) => !pets.has(pet));
    for (const { pet } of lost) this.problems.add(`acknowledged and lost or changed: ${pet}`);
    const names = stored.map((pet) => /"name":"[^"]*"/.exec(pet)?.[0]);
    if (new Set(names).size < names.length) this.problems.add("a create was carried out twice");
    await this.repeatAll();
    const problems = [...this.problems];
    expect(problems, problems.slice(0, 5).join("\n")).to.deep.equal([]);
    expect(this.acknowledged.size).to.be.greaterThan(0);
  }

  /** Repeats every acknowledged create under a key. Each must be answered as a replay. */
  async repeatAll(): Promise<void> {
    // A copy: clients that go on add to the map.
    const left = [...this.acknowledged.values()].values();
    const repeat = async () => {
      for (const { pet, body, key } of left) {
        if (!key) continue;
        const { status, text, headers } = await this.create(body, key);
        const replayed = headers["idempotency-replayed"] === "true";
        if (status !== 201 || text !== pet || !replayed) this.problems.add(`no replay but ${status} ${text}`);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, repeat));
  }

  private get connections(): RequestOptions {
    return this.options.newConnections ? { agent: false } : {};
  }

  private create(body: string, key: string | undefined): Promise<Answer> {
    return post(this.app, body, { ...this.connections, headers: key ? { "Idempotency-Key": key } : {} });
  }

  private get(path: string): Promise<Answer> {
    return get(this.app, path, this.connections);
  }

  /** Lists may heal half a second after creates: the storage is asked for each by itself. */
  private async allStored(): Promise<string[]> {
    for (const until = performance.now() + HEALED_WITHIN; ; await sleep(PAUSE)) {
      try {
        return await allPets(this.app);
      } catch (error) {
        if (performance.now() > until) throw error;
      }
    }
  }

  private async write(keyed: boolean): Promise<void> {
    while (this.running) {
      const number = ++this.bodies;
      const body = `{"name":"Żółw ${number} 🐢","categoryId":${2n ** 62n + BigInt(number)},"status":"sold"}`;
      const key = keyed ? `key-${number}` : undefined;
      // A create under a key is repeated until it is acknowledged, even if the load should end.
      for (const until = performance.now() + 20_000; performance.now() < until; ) {
        const answer = await this.ask("create", () => this.create(body, key));
        if (answer?.status === 201) this.acknowledge(answer.text, body, key);
        if (answer?.status === 201 || !keyed) break;
        await sleep(PAUSE);
      }
      await sleep(Math.random() * PAUSE);
    }
  }

  private acknowledge(pet: string, body: string, key: string | undefined): void {
    const [, id = ""] = /"id":(\d+)/.exec(pet) ?? [];
    if (this.options.unconfirmed?.(BigInt(id))) this.problems.add(`acknowledged too early: ${pet}`);
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
        const got = await this.ask("get", () => this.get(`/v1/pets/${id}`));
        if (got && got.status !== 503 && got.text !== pet)
          this.problems.add(`get ${id} answered ${got.status} ${got.text}`);
        const list = await this.ask("list", () => this.get("/v1/pets?status=sold&limit=5"));
        if (list?.status !== 200) await sleep(PAUSE);
      }
      await sleep(Math.random() * PAUSE);
    }
  }

  /** Sends a request, and notes a late or unexpected answer. Gives undefined if the service, restarted, gave none. */
  private async ask(what: string, send: () => Promise<Answer>): Promise<Answer | undefined> {
    const begun = performance.now();
    const answer = await send().catch((error) => {
      if (!this.options.restarts) throw error;
      return undefined;
    });
    if (!answer) return undefined;
    const { status, text } = answer;
    const took = performance.now() - begun;
    if (what !== "create") this.slowestRead = Math.max(this.slowestRead, took);
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    if (![200, 201, 503].includes(status)) this.problems.add(`${what} got ${status} ${text}`);
    if (took > ANSWERED_WITHIN) this.problems.add(`${what} got ${status} after ${took.toFixed(0)} ms`);
    return answer;
  }
}
