import { setTimeout as sleep } from "node:timers/promises";
import { E2E_KEY } from "./pets-client.js";
import type { Program } from "./start-program.js";

/** An answer, and how long it took, in milliseconds. */
interface Timed {
  readonly status: number;
  readonly text: string;
  readonly taken: number;
  /** The time of the request, by `performance.now()`. */
  readonly sent: number;
}

export interface TimedCreate extends Timed {
  /** The Idempotency-Key and the body of the request. */
  readonly key: string;
  readonly body: string;
}

async function timed(url: string, init: RequestInit = {}): Promise<Timed> {
  const sent = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, text, taken: performance.now() - sent, sent };
}

const AUTHORIZED = { Authorization: `Bearer ${E2E_KEY}` };

/** The reads that a service must answer even if its disk hangs: name, address and expected status. */
function reads({ origin, admin }: Program): [string, string, number, RequestInit][] {
  return [
    ["lists", `${origin}/v1/pets`, 200, { headers: AUTHORIZED }],
    ["gets", `${origin}/v1/pets/1`, 200, { headers: AUTHORIZED }],
    ["requests without a key", `${origin}/v1/pets`, 401, {}],
    ["/livez", `${admin}/livez`, 200, {}],
    ["/metrics", `${admin}/metrics`, 200, {}],
  ];
}

/** Sends every read each 50 ms, and a create under a new key each `interval` ms, until `end`. */
export class SteadyLoad {
  readonly creates: Promise<TimedCreate>[] = [];
  readonly readiness: Timed[] = [];
  /** The answers to each kind of read. */
  readonly reads = new Map<string, Timed[]>();
  readonly unexpected: string[] = [];
  private readonly readers: Promise<unknown>[];
  private ended = false;

  constructor(
    private readonly program: Program,
    private readonly interval: number,
  ) {
    this.readers = reads(program).map(([name, url, status, init]) =>
      this.keepReading(name, url, status, init),
    );
    this.readers.push(this.keepAskingReadiness(), this.keepCreating());
  }

  /** Ends the load, and resolves once every answer is there. */
  async end(): Promise<TimedCreate[]> {
    this.ended = true;
    await Promise.all(this.readers);
    return Promise.all(this.creates);
  }

  /** The slowest answer to any read, in milliseconds. */
  get slowestRead(): number {
    return Math.max(...[...this.reads.values()].flat().map(({ taken }) => taken));
  }

  private async keepReading(name: string, url: string, status: number, init: RequestInit): Promise<void> {
    const answers: Timed[] = [];
    this.reads.set(name, answers);
    while (!this.ended) {
      const answer = await timed(url, init);
      answers.push(answer);
      if (answer.status !== status) this.unexpected.push(`${name}: ${answer.status} ${answer.text}`);
      await sleep(50);
    }
  }

  private async keepAskingReadiness(): Promise<void> {
    while (!this.ended) {
      this.readiness.push(await timed(`${this.program.admin}/readyz`));
      await sleep(100);
    }
  }

  private async keepCreating(): Promise<void> {
    for (let n = 0; !this.ended; n++) {
      this.creates.push(
        create(this.program, `${this.program.child.pid}-${n}`, `{"name":"Rex ${n}","categoryId":${n}}`),
      );
      await sleep(this.interval);
    }
  }
}

export async function create({ origin }: Program, key: string, body: string): Promise<TimedCreate> {
  const headers = { ...AUTHORIZED, "Content-Type": "application/json", "Idempotency-Key": key };
  return { ...(await timed(`${origin}/v1/pets`, { method: "POST", headers, body })), key, body };
}
