import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";

/** How many clients create, each one pet after the other. */
const CLIENTS = 4;

/** How long a client waits before it repeats a request that failed, and between two requests, in milliseconds. */
const PAUSE = 20;

/**
 * Clients that create pets under idempotency keys, and repeat each create until it gets 201; and one that
 * reads.
 */
export class Load {
  /** The acknowledged ids, by idempotency key. */
  readonly created = new Map<string, bigint>();
  private stopped = false;
  private readonly running: Promise<unknown>;
  private gaps = { creates: 0, reads: 0 };
  private last = { creates: 0, reads: 0 };
  private unexpected: string | undefined;

  constructor(
    private readonly origin: string,
    private readonly key: string,
  ) {
    const clients = Array.from({ length: CLIENTS }, (_, n) => this.create(n));
    this.measure();
    this.running = Promise.all([...clients, this.read()]);
  }

  /** Starts the measurement of gaps anew. */
  measure(): void {
    const now = performance.now();
    this.gaps = { creates: 0, reads: 0 };
    this.last = { creates: now, reads: now };
  }

  /** Resolves once creates succeed again. */
  async settled(): Promise<void> {
    const count = this.created.size;
    while (this.created.size < count + CLIENTS) await sleep(PAUSE);
  }

  /** The longest times, in seconds, during which no create was acknowledged and no list answered. */
  longestGaps(): { creates: number; reads: number } {
    return { creates: this.gaps.creates / 1000, reads: this.gaps.reads / 1000 };
  }

  /** Repeats every acknowledged create. Each answer must say that it is a replay. */
  async expectAllRecognised(): Promise<void> {
    const all = [...this.created];
    for (let n = 0; n < all.length; n += 50) {
      const batch = all.slice(n, n + 50).map(async ([key, id]) => {
        const answer = await this.post(key);
        expect(answer.status, key).to.equal(201);
        expect(answer.headers.get("idempotency-replayed"), key).to.equal("true");
        expect(idOf(await answer.text()), key).to.equal(id);
      });
      await Promise.all(batch);
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    expect(this.unexpected).to.equal(undefined);
  }

  private async create(client: number): Promise<void> {
    for (let n = 0; !this.stopped; n++) {
      const key = `client ${client} create ${n}`.replaceAll(" ", "-");
      while (!this.stopped) {
        const answer = await this.post(key).catch(() => undefined);
        const text = await answer?.text().catch(() => "");
        await sleep(PAUSE);
        if (answer?.status === 201 && text) {
          this.created.set(key, idOf(text));
          this.succeeded("creates");
          break;
        }
        if (answer && answer.status !== 503 && answer.status !== 201)
          this.unexpected = `${answer.status} ${text}`;
      }
    }
  }

  private async read(): Promise<void> {
    while (!this.stopped) {
      const headers = { Authorization: `Bearer ${this.key}` };
      const answer = await fetch(`${this.origin}/v1/pets?limit=5`, { headers }).catch(() => undefined);
      await answer?.text().catch(() => "");
      if (answer?.status === 200) this.succeeded("reads");
      await sleep(PAUSE);
    }
  }

  private post(key: string): Promise<Response> {
    return fetch(`${this.origin}/v1/pets`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.key}`,
        "Content-Type": "application/json",
        "Idempotency-Key": key,
      },
      body: JSON.stringify({ name: `Rex of ${key}`, categoryId: 7 }),
    });
  }

  private succeeded(what: "creates" | "reads"): void {
    const now = performance.now();
    this.gaps[what] = Math.max(this.gaps[what], now - this.last[what]);
    this.last[what] = now;
  }
}

function idOf(pet: string): bigint {
  return BigInt(/"id":(\d+)/.exec(pet)?.[1] ?? -1);
}
