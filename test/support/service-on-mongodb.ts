import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { captureLog } from "./captured-log.js";
import { type Answer, send } from "./client.js";
import { eventually } from "./eventually.js";
import { expectError } from "./expect-error.js";
import { openMongodb } from "./open-storages.js";
import { API_KEY, type StartedApp, startApp } from "./start-app.js";

/** The longest that a client may wait for a 503, and that the service may take to come back, in milliseconds. */
export const ANSWERED_WITHIN = 5000;
const HEALED_WITHIN = 10_000;

const BODY = JSON.stringify({ name: "Rex", categoryId: 7 });
export const CREATE = { method: "POST", body: BODY };

/** What the service logs once the database has gone, and once it is back. */
export const WENT = "the storage cannot be used; asking until it answers";
export const BACK = "the storage answers again";

interface TimedAnswer extends Answer {
  readonly milliseconds: number;
}

/** The service on a database that goes away and comes back. */
export class ServiceOnMongodb {
  readonly captured = captureLog();
  private app: StartedApp | undefined;

  async start(url: string): Promise<void> {
    const storage = await openMongodb(url, { log: this.captured.log });
    this.app = await startApp({ storage, log: this.captured.log });
  }

  async close(): Promise<void> {
    await this.app?.close();
  }

  get started(): StartedApp {
    if (!this.app) throw new Error("start it first");
    return this.app;
  }

  get repository() {
    return this.started.repository;
  }

  messages(): string[] {
    return this.captured
      .causes()
      .filter(({ level }) => level >= 30)
      .map(({ msg }) => msg);
  }

  async ask(path = "/v1/pets", { method = "GET", body = "" } = {}, key = API_KEY): Promise<TimedAnswer> {
    const begun = Date.now();
    const headers = body ? { "Content-Type": "application/json" } : {};
    const answer = await send(this.started, method, path, { key, headers, body });
    return { ...answer, milliseconds: Date.now() - begun };
  }

  askAll(): Promise<TimedAnswer[]> {
    const reads = ["/v1/pets", "/v1/pets/1", "/v1/pets?status=sold"].map((path) => this.ask(path));
    return Promise.all([...reads, this.ask("/v1/pets", CREATE)]);
  }

  /** Asserts 503 for everything that needs the database, and the usual answers for the rest. */
  async expectAway(): Promise<void> {
    for (const answer of await this.askAll()) expectUnavailable(answer);
    // Once the service knows that the database is away, only few requests wait.
    await eventually(() => this.messages().includes(WENT) || undefined);
    for (let round = 0; round < 3; round++) {
      const answers = await this.askAll();
      for (const answer of answers) expectUnavailable(answer);
      // Of each kind one in half a second goes through.
      expect(answers.filter(({ milliseconds }) => milliseconds > 1000).length).to.be.at.most(2);
    }
    expect(await this.ask("/v1/pets", {}, "petstore_other-key")).to.include({ status: 401 });
    expect(await this.ask("/v1/pets?limit=0")).to.include({ status: 400 });
    expect(await this.ask("/v1/pets", { method: "POST", body: "{}" })).to.include({ status: 400 });
  }

  /** Asserts that creates work again within the time, and so does everything else. */
  async expectHealed(): Promise<void> {
    const begun = Date.now();
    const created = async () => (await this.ask("/v1/pets", CREATE)).status === 201 || undefined;
    await eventually(created, HEALED_WITHIN);
    await eventually(async () => (await this.ask()).status === 200 || undefined, HEALED_WITHIN);
    expect(Date.now() - begun).to.be.below(HEALED_WITHIN);
  }

  /** Creates pets until three creates have failed, while the database is taken away; answers the acknowledged ids. */
  async createWhile(takeAway: () => Promise<unknown>): Promise<bigint[]> {
    const acknowledged: bigint[] = [];
    const creating = (async () => {
      for (let failed = 0; failed < 3; ) {
        const creation = await this.repository
          .create({ name: "Rex", categoryId: 1n, status: "available" })
          .catch(() => undefined);
        if (creation) acknowledged.push(creation.pet.id);
        else failed++;
      }
    })();
    await sleep(200);
    await takeAway();
    await creating;
    expect(acknowledged.length).to.be.greaterThan(3);
    return acknowledged;
  }
}

export function expectUnavailable(answer: TimedAnswer): void {
  expectError(answer, 503, "storage_unavailable");
  expect(answer.milliseconds).to.be.below(ANSWERED_WITHIN);
}
