import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Question } from "./client.js";
import { type History, type PlannedPet, STATUSES } from "./history.js";
import type { Judge } from "./judge.js";
import type { Random } from "./random.js";

/** How many requests may wait for their answers. The load leaves out further ones, as clients that give up do. */
const UNDER_WAY = 500;

const JSON_TYPE = { "Content-Type": "application/json" };

/** Requests that the service must refuse, each with the status; they may store nothing. */
const INVALID: readonly [Question, status: number][] = [
  [{ method: "POST", path: "/v1/pets", headers: JSON_TYPE, body: "{}" }, 400],
  [
    {
      method: "POST",
      path: "/v1/pets",
      headers: JSON_TYPE,
      body: `{"name":"a","categoryId":9223372036854775808}`,
    },
    400,
  ],
  [{ method: "POST", path: "/v1/pets", headers: JSON_TYPE, body: `{"name":"a","categoryId":1` }, 400],
  [{ method: "POST", path: "/v1/pets", body: `{"name":"a","categoryId":1}` }, 415],
  [{ method: "POST", path: "/v1/pets", headers: JSON_TYPE, body: "x".repeat(20_000) }, 413],
  [{ method: "GET", path: "/v1/pets?limit=0" }, 400],
  [{ method: "GET", path: "/v1/pets?cursor=x" }, 400],
  [{ method: "GET", path: "/v1/pets", headers: { Authorization: "Bearer petstore_wrong" } }, 401],
  [{ method: "GET", path: "/v1/pets/9223372036854775807" }, 404],
  [{ method: "PROPFIND", path: "/v1/pets" }, 405],
  [{ method: "GET", path: "/v1/pets", headers: { Accept: "text/html" } }, 406],
];

/** A walk through the catalogue: the page that comes next. */
interface Walk {
  readonly status: string | undefined;
  readonly limit: number;
  path: string;
  /** The last id of the page before. */
  after: number;
}

/** Sends all operations at a steady rate, whatever becomes of them, and compares the answers with the history. */
export class Load {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly walks = [undefined, "sold"].map((status) => firstPage(status, 100));
  private running = true;

  constructor(
    private readonly client: Client,
    private readonly judge: Judge,
    private readonly history: History,
    private readonly random: Random,
  ) {}

  /** Sends so many requests per second until `stop`. */
  async run(rate: number): Promise<void> {
    for (let due = performance.now(); this.running; due += this.random.pause(rate)) {
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      // The load does not make up for requests that this process could not send in time.
      else due = Math.max(due, performance.now() - 1000);
      if (this.underWay.size >= UNDER_WAY) continue;
      const sent: Promise<unknown> = this.sendAny().finally(() => this.underWay.delete(sent));
      this.underWay.add(sent);
    }
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.underWay);
  }

  /** Settles every open create once all faults are over, and reads everything that was acknowledged once more. */
  async verify(): Promise<void> {
    for (const pet of [...this.history.open]) await this.create(pet);
    for (const status of [undefined, ...STATUSES]) {
      const walk = firstPage(status, 100);
      while ((await this.readPage(walk)) && walk.after > 0);
    }
    for (let count = 0; count < 500; count++) {
      await this.get();
      await this.repeat();
    }
  }

  private sendAny(): Promise<unknown> {
    const kind = this.random.between(1, 100);
    if (kind <= 30) return this.create(this.history.plan());
    if (kind <= 40) return this.repeat();
    if (kind <= 62) return this.get();
    if (kind <= 75)
      return this.readPage(
        firstPage(this.random.pick([...STATUSES, undefined]), this.random.between(1, 100)),
      );
    if (kind <= 92) return this.walkOn();
    return this.sendInvalid();
  }

  /** Repeats a create whose answer nobody has, if there is one, or one that has its answer. */
  private async repeat(): Promise<void> {
    const open = this.random.chance(0.5) ? [...this.history.open].at(0) : undefined;
    const pet = open ?? this.history.any();
    if (pet) await this.create(pet);
  }

  private async create(pet: PlannedPet): Promise<void> {
    const { key, body, id } = pet;
    const headers = { ...JSON_TYPE, "Idempotency-Key": key };
    const answer = this.judge.judge(
      await this.client.send({ method: "POST", path: "/v1/pets", headers, body }),
      201,
    );
    if (!answer) return;
    this.history.open.delete(pet);
    this.history.seen(answer.text, `create of ${key}`);
    if (id !== undefined && answer.headers["idempotency-replayed"] !== "true") {
      this.judge.findings.add("doubled", `the create of pet ${id} was repeated, and not replayed`);
    }
  }

  private async get(): Promise<void> {
    const id = this.history.any()?.id;
    if (id === undefined) return;
    const path = `/v1/pets/${id}`;
    const answer = this.judge.judge(await this.client.send({ method: "GET", path }), 200, 404);
    if (answer?.status === 404) this.history.missing(id, path);
    else if (answer) this.history.seen(answer.text, path);
  }

  private async walkOn(): Promise<void> {
    // A walk whose page is under way takes no second step meanwhile.
    const walk = this.walks.shift();
    if (!walk) return;
    await this.readPage(walk);
    this.walks.push(walk);
  }

  /** Reads a page, and moves on to the next one; to the first after the last. Stays, and gives false, if no answer comes. */
  private async readPage(walk: Walk): Promise<boolean> {
    const { path, status, after, limit } = walk;
    const due = this.history.due(status, after, limit);
    const answer = this.judge.judge(await this.client.send({ method: "GET", path }), 200);
    if (!answer) return false;
    const pets = answer.text.match(/\{[^}]*\}/g) ?? [];
    const ids = pets.map((pet) => Number(/^\{"id":(\d+),/.exec(pet)?.[1]));
    const ordered = ids.every((id, index) => id > (ids[index - 1] ?? after));
    const fits = !status || pets.every((pet) => pet.endsWith(`"status":"${status}"}`));
    const [, next] = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link)) ?? [];
    if (!ordered || !fits || ids.length > limit || (next && ids.length < limit)) {
      this.judge.findings.add("page", `${path} after ${after}: ${ids.join(" ")}`);
    }
    const last = next ? (ids.at(-1) as number) : Number.POSITIVE_INFINITY;
    const shown = new Set(ids);
    for (const id of due) if (id <= last && !shown.has(id)) this.history.missing(id, path);
    for (const pet of pets) this.history.seen(pet, path);
    Object.assign(walk, next ? { path: next, after: last } : firstPage(status, limit));
    return true;
  }

  private async sendInvalid(): Promise<void> {
    const [question, status] = this.random.pick(INVALID);
    this.judge.judge(await this.client.send(question), status);
  }
}

function firstPage(status: string | undefined, limit: number): Walk {
  return { status, limit, path: `/v1/pets?limit=${limit}${status ? `&status=${status}` : ""}`, after: 0 };
}
