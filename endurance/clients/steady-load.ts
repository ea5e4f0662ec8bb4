import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.js";
import type { Creates } from "./creates.js";
import type { HttpClient } from "./http-client.js";
import type { InvalidRequests } from "./invalid.js";
import type { Reads } from "./reads.js";
import { Walk } from "./walk.js";

/** How many requests may wait for their answers. The load leaves out further ones, as clients that give up do. */
const UNDER_WAY = 500;

export interface Clients {
  readonly client: HttpClient;
  readonly creates: Creates;
  readonly reads: Reads;
  readonly invalid: InvalidRequests;
}

/** Sends all operations at a steady rate, whatever becomes of them. */
export class SteadyLoad {
  private readonly underWay = new Set<Promise<void>>();
  private readonly walks: readonly Walk[];
  private running = false;

  constructor(
    private readonly clients: Clients,
    private readonly random: Random,
    private readonly rate: number,
  ) {
    const { reads } = clients;
    this.walks = [
      new Walk(reads, undefined, 100),
      new Walk(reads, "sold", 20),
      new Walk(reads, "pending", 7),
    ];
  }

  /** How often the whole catalogue was read page by page. */
  get walked(): number {
    return this.walks.reduce((sum, { finished }) => sum + finished, 0);
  }

  /** Sends requests until `stop`. */
  async run(): Promise<void> {
    const { creates, reads, invalid } = this.clients;
    const operations = [
      { weight: 28, send: () => creates.create() },
      { weight: 8, send: () => creates.repeat() },
      { weight: 1, send: () => creates.reuse() },
      { weight: 22, send: () => reads.get() },
      { weight: 3, send: () => reads.getAbsent() },
      { weight: 16, send: () => reads.list() },
      { weight: 14, send: () => this.random.pick(this.walks).step() },
      { weight: 8, send: () => invalid.send() },
    ];
    this.running = true;
    for (let due = performance.now(); this.running; due += this.random.pause(this.rate)) {
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      // The load does not make up for requests that this process could not send in time.
      else due = Math.max(due, performance.now() - 1000);
      if (this.underWay.size >= UNDER_WAY) continue;
      const sent: Promise<void> = this.random
        .weighted(operations)
        .send()
        .finally(() => this.underWay.delete(sent));
      this.underWay.add(sent);
    }
  }

  /** Resolves once every request has been answered or given up. */
  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.underWay);
  }
}
