import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Cluster, withClient } from "./cluster.js";
import { Service } from "./service.js";

/** The promises of the port, in milliseconds. */
const ANSWERED_WITHIN = 5000;
const HEALED_WITHIN = 5000;

const WORKERS = 16;

/** A pet as it was acknowledged. */
interface Acknowledged {
  readonly id: number;
  readonly name: string;
}

/** Clients that create pets, and repeat a create that was answered 503 until it is answered 201. */
class Load {
  readonly acknowledged: Acknowledged[] = [];
  refused = 0;
  slowest = 0;
  lastSuccess = 0;
  private stopped = false;
  private readonly ended: Promise<unknown>;

  constructor(private readonly service: Service) {
    const workers = Array.from({ length: WORKERS }, (_, worker) => this.work(worker));
    this.ended = Promise.all(workers).catch((failure: unknown) => failure);
  }

  /** Resolves once every pet that was begun is acknowledged. */
  async end(): Promise<void> {
    this.stopped = true;
    const failure = await this.ended;
    if (failure instanceof Error) throw failure;
  }

  private async work(worker: number): Promise<void> {
    for (let n = 0; !this.stopped; n++) {
      const name = `pet-${worker}.${n}`;
      while (!(await this.create(name))) await sleep(50);
      const read = await this.ask(`/v1/pets/${this.acknowledged.at(-1)?.id}`);
      assert(read.status === 200 || read.status === 503, `a read was answered ${read.status} ${read.text}`);
    }
  }

  private async create(name: string): Promise<boolean> {
    const { status, text } = await this.watch(this.service.create({ name, categoryId: 7 }, name));
    assert(status === 201 || status === 503, `a create was answered ${status} ${text}`);
    if (status === 201) {
      this.acknowledged.push({ id: JSON.parse(text).id, name });
      this.lastSuccess = performance.now();
    }
    return status === 201;
  }

  private ask(path: string) {
    return this.watch(this.service.ask(path));
  }

  private async watch(asking: ReturnType<Service["ask"]>): ReturnType<Service["ask"]> {
    const answer = await asking;
    if (answer.status === 503) this.refused++;
    this.slowest = Math.max(this.slowest, answer.took);
    return answer;
  }
}

describe("A service whose PostgreSQL goes away", { timeout: 200_000 }, () => {
  let cluster: Cluster;
  let url: string;
  let service: Service;

  before(async () => {
    cluster = await Cluster.start();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    url = cluster.newUrl();
    service = await Service.start(url);
  });
  afterEach(() => service.stop());

  /** Takes the database away under load, in rounds, and answers what the load saw. */
  async function underLoad(rounds: number, down: () => Promise<void>, up: () => Promise<void>) {
    const load = new Load(service);
    const healed: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await sleep(1000 + 300 * round);
      const before = load.acknowledged.length;
      assert(before > 0, "nothing was acknowledged before the database went");
      await down();
      await sleep(1500);
      await up();
      const back = performance.now();
      while (load.lastSuccess < back) {
        assert(performance.now() - back < HEALED_WITHIN, "nothing works again");
        await sleep(10);
      }
      healed.push(load.lastSuccess - back);
    }
    await load.end();
    assert(service.running, "the process ended");
    assert(load.refused > 0, "nothing was refused while the database was away");
    assert(load.slowest < ANSWERED_WITHIN, `an answer took ${load.slowest.toFixed()} ms`);
    return { load, healed };
  }

  async function expectEverything({ acknowledged }: Load): Promise<void> {
    const { rows } = await withClient(url, (client) =>
      client.query<{ id: string; name: string }>("SELECT id, name FROM pets"),
    );
    const stored = new Map(rows.map(({ id, name }) => [Number(id), name]));
    const lost = acknowledged.filter(({ id, name }) => stored.get(id) !== name);
    assert.deepEqual(lost, [], "acknowledged, and lost");
    // Every create has a key, and each was repeated until it was acknowledged.
    assert.equal(
      new Set(acknowledged.map(({ id }) => id)).size,
      acknowledged.length,
      "an id was given twice",
    );
    assert.equal(rows.length, acknowledged.length, "a key was stored twice, or a pet that nobody sent");
  }

  function tell(context: { diagnostic(text: string): void }, load: Load, healed: readonly number[]): void {
    context.diagnostic(
      `${load.acknowledged.length} acknowledged, ${load.refused} answered 503, slowest answer ` +
        `${load.slowest.toFixed()} ms, healed after ${healed.map((time) => time.toFixed()).join(", ")} ms`,
    );
  }

  it("loses nothing, stores each key once, and heals by itself if PostgreSQL is killed under load", async (context) => {
    const { load, healed } = await underLoad(
      4,
      () => cluster.kill(),
      () => cluster.up(),
    );
    tell(context, load, healed);
    await expectEverything(load);
  });

  it("does the same if PostgreSQL falls silent with its connections open", async (context) => {
    const { load, healed } = await underLoad(
      2,
      async () => {
        await cluster.freeze();
        await sleep(5000);
      },
      () => cluster.thaw(),
    );
    tell(context, load, healed);
    await expectEverything(load);
  });

  it("does the same if PostgreSQL ends connections, as in a restart by its operator", async (context) => {
    const end = async () => {
      await withClient(url, (client) =>
        client.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'petstore%'",
        ),
      );
    };
    const { load, healed } = await underLoad(5, end, async () => {});
    tell(context, load, healed);
    await expectEverything(load);
  });

  it("outlives broken idle connections, is not ready for a while, and is ready again by itself", async () => {
    assert.equal((await service.create({ name: "Rex", categoryId: 7 })).status, 201);
    await cluster.kill();
    await sleep(500);
    assert.equal((await fetch(`${service.admin}/readyz`)).status, 503);
    assert.equal((await fetch(`${service.admin}/livez`)).status, 200);
    await cluster.up();
    for (const begun = Date.now(); (await fetch(`${service.admin}/readyz`)).status !== 200; await sleep(50)) {
      assert(Date.now() - begun < HEALED_WITHIN, "not ready again");
    }
    assert.equal((await service.ask("/v1/pets")).status, 200);
    // The guard of the service logs the outage, with the cause that this storage names.
    assert.equal(service.printed().split("the storage cannot be used").length, 2, service.printed());
    assert.match(service.printed(), /"err":\{[^}]*ECONNREFUSED.*"msg":"the storage cannot be used/);
  });

  it("starts without PostgreSQL, and serves once PostgreSQL is there", async () => {
    await cluster.kill();
    const early = await Service.start(url);
    try {
      assert.equal((await early.ask("/v1/pets")).status, 503);
      await cluster.up();
      for (const begun = Date.now(); (await early.ask("/v1/pets")).status !== 200; await sleep(50)) {
        assert(Date.now() - begun < HEALED_WITHIN, "does not serve");
      }
    } finally {
      await early.stop();
    }
  });
});
