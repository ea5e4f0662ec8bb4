import { setTimeout as sleep } from "node:timers/promises";
import { petsClient } from "./pets-client.js";
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

async function timed(send: () => Promise<{ status: number; text: string }>): Promise<Timed> {
  const sent = performance.now();
  const { status, text } = await send();
  return { status, text, taken: performance.now() - sent, sent };
}

async function read(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

/** The reads that a service must answer even if its disk hangs: name, expected status and request. */
function reads({ origin, admin }: Program) {
  const { get } = petsClient(origin);
  return [
    ["lists", 200, () => get("/v1/pets")],
    ["gets", 200, () => get("/v1/pets/1")],
    ["requests without a key", 401, () => read(`${origin}/v1/pets`)],
    ["/livez", 200, () => read(`${admin}/livez`)],
    ["/metrics", 200, () => read(`${admin}/metrics`)],
  ] as const;
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
    this.readers = reads(program).map((read) => this.keepReading(read));
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

  private async keepReading([name, status, send]: ReturnType<typeof reads>[number]): Promise<void> {
    const answers: Timed[] = [];
    this.reads.set(name, answers);
    while (!this.ended) {
      const answer = await timed(send);
      answers.push(answer);
      if (answer.status !== status) this.unexpected.push(`${name}: ${answer.status} ${answer.text}`);
      await sleep(50);
    }
  }

  private async keepAskingReadiness(): Promise<void> {
    while (!this.ended) {
      this.readiness.push(await timed(() => read(`${this.program.admin}/readyz`)));
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
  return { ...(await timed(() => petsClient(origin).create(body, key))), key, body };
}
