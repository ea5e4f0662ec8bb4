import { type Answer, describeExchange, type Exchange } from "../history/exchange.js";
import type { History } from "../history/history.js";
import { STATUSES } from "../history/planned-pets.js";
import type { Random } from "../random.js";
import type { HttpClient } from "./http-client.js";
import type { Judge } from "./judge.js";

/** How many of the newest pets are asked for more often than others. */
const NEWEST = 50;

/** The beginning of a page, and the pets that it may have. */
export interface PageRequest {
  readonly path: string;
  readonly status: string | undefined;
  readonly limit: number;
  /** The last id of the page before; 0 for a first page. */
  readonly after: number;
}

/** Reads pets, and compares them with what was acknowledged. */
export class Reads {
  constructor(
    private readonly client: HttpClient,
    private readonly judge: Judge,
    private readonly history: History,
    private readonly random: Random,
    /** A key for each request. */
    private readonly keys: () => string,
  ) {}

  async get(): Promise<void> {
    const stored = this.history.turn;
    const from = this.random.chance(0.5) ? Math.max(0, stored - NEWEST) : 0;
    const known = this.history.storedAt(this.random.between(from, Math.max(from, stored - 1)));
    if (known) await this.getStored(known.id);
  }

  /** Gets a stored pet, which must be as it was sent. */
  async getStored(id: number): Promise<void> {
    const exchange = await this.send(`/v1/pets/${id}`);
    const answer = this.judge.judge(exchange, [200, 404]);
    if (answer?.status === 404) this.history.missing(id, exchange);
    else if (answer) this.history.seen(answer.text, exchange);
    if (answer?.status === 200 && !answer.text.startsWith(`{"id":${id},`)) {
      this.judge.findings.add("exact", `a get of ${id} answers ${answer.text}`, describeExchange(exchange));
    }
  }

  /** Gets an id that the service has never given. */
  async getAbsent(): Promise<void> {
    const id = this.random.pick([
      "0",
      "-1",
      "9223372036854775807",
      "01",
      "x",
      "9223372036854775808",
      "9007199254740991",
    ]);
    this.judge.judge(await this.send(`/v1/pets/${id}`), [404]);
  }

  async list(): Promise<void> {
    const status = this.random.pick([...STATUSES, undefined]);
    const limit = this.random.pick([undefined, 1, 100, this.random.between(1, 100)]);
    const query = [status && `status=${status}`, limit && `limit=${limit}`].filter(Boolean).join("&");
    await this.page({ path: `/v1/pets${query && `?${query}`}`, status, limit: limit ?? 20, after: 0 });
  }

  /** Reads a page and checks it. Gives the request for the next one; undefined after the last. */
  async page(request: PageRequest): Promise<PageRequest | "failed" | undefined> {
    const { turn } = this.history;
    const exchange = await this.send(request.path);
    const answer = this.judge.judge(exchange, [200]);
    if (!answer) return "failed";
    const pets = answer.text.match(/\{[^}]*\}/g) ?? [];
    const ids = pets.map((pet) => Number(/^\{"id":(\d+),/.exec(pet)?.[1]));
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.link ?? "")?.[1];
    this.checkBounds(request, ids, next, answer, exchange);
    const last = next ? (ids.at(-1) as number) : Number.POSITIVE_INFINITY;
    const shown = new Set(ids);
    for (const id of this.history.due(request.status, request.after, last, turn, request.limit + 1)) {
      if (!shown.has(id)) this.history.missing(id, exchange);
    }
    for (const pet of pets) this.history.seen(pet, exchange);
    return next === undefined ? undefined : { ...request, path: next, after: last };
  }

  private checkBounds(
    { status, limit, after }: PageRequest,
    ids: readonly number[],
    next: string | undefined,
    { text }: Answer,
    exchange: Exchange,
  ): void {
    const ascending = ids.every((id, index) => id > (index === 0 ? after : (ids[index - 1] as number)));
    const statuses = [...text.matchAll(/"status":"(\w+)"\}/g)].map(([, found]) => found);
    const fits = statuses.length === ids.length && (!status || statuses.every((found) => found === status));
    const full = ids.length === limit;
    if (!ascending || !fits || ids.length > limit || (next && !full)) {
      this.judge.findings.add("page", `a page after ${after}: ${ids.join(" ")}`, describeExchange(exchange));
    }
  }

  private send(path: string): Promise<Exchange> {
    return this.client.send({ method: "GET", path }, this.keys());
  }
}
