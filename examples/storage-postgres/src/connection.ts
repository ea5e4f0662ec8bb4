import { setTimeout as sleep } from "node:timers/promises";
import { type StorageLog, storageUnavailable } from "petstore/storage";
import type pg from "pg";
import { isOwnFault } from "./errors.js";
import { OutageLog } from "./outage-log.js";
import { makePool, optionsOf } from "./pool.js";
import { setUp } from "./set-up.js";

/** How long an operation may take as a whole, in milliseconds: the port promises an answer within 5 seconds. */
const DEADLINE = 4000;

/** How long to wait before a database that did not answer is asked again, in milliseconds. */
const ASK_INTERVAL = 500;

/**
 * Holds on to a database that may be away at any time, at start too. While it is away every operation is refused at
 * once, and the database is asked until it answers.
 */
export class Connection {
  readonly pool: pg.Pool;
  private away = true;
  private isSetUp = false;
  private asking: Promise<void> | undefined;
  private closed = false;
  private underWay = 0;
  private readonly outage: OutageLog;
  private readonly failures: OutageLog;
  private readonly schema: string | undefined;

  /** @throws Error if the driver does not take the URL. */
  constructor(
    url: string,
    private readonly log: StorageLog,
  ) {
    this.pool = makePool(url);
    this.schema = optionsOf(url).schema;
    this.outage = new OutageLog(
      log,
      "PostgreSQL cannot be used; asking until it answers",
      "PostgreSQL answers again",
    );
    // A full disk, for example, or a server that is read-only.
    this.failures = new OutageLog(log, "operations fail, though PostgreSQL answers", "operations work again");
  }

  /**
   * Runs an operation. One promise and one timer: what a request costs here, it costs a thousand times a second.
   *
   * @throws PetstoreError `storage_unavailable`, within 5 seconds. It has no cause: the log has it already, once.
   */
  run<Result>(operation: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
    if (this.away || this.closed) return Promise.reject(storageUnavailable(undefined));
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        if (isOwnFault(error)) return reject(error);
        this.findOut(error);
        reject(storageUnavailable(undefined));
      };
      const timer = setTimeout(() => fail(new Error(`no answer within ${DEADLINE} ms`)), DEADLINE);
      this.underWay++;
      operation(this.pool).then(
        (result) => {
          this.ended(timer);
          this.failures.worked();
          resolve(result);
        },
        (error) => {
          this.ended(timer);
          fail(error);
        },
      );
    });
  }

  /**
   * Asks the database whether it answers; sets it up first if that was not done. If it does not answer, it is asked
   * until it does.
   *
   * @throws UnusableDatabase or what else is the matter
   */
  ask(): Promise<void> {
    this.asking ??= this.askOnce().then(
      () => {
        this.asking = undefined;
      },
      (error) => {
        this.away = true;
        this.outage.failed(error);
        this.askUntilAnswered();
        throw error;
      },
    );
    return this.asking;
  }

  /** Lets what is under way finish, and disconnects. */
  async close(): Promise<void> {
    this.closed = true;
    while (this.underWay > 0) await sleep(5);
    // A connection that hangs is not waited for.
    await within(DEADLINE, this.pool.end()).catch(() => undefined);
  }

  private ended(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.underWay--;
  }

  /** Whether one operation failed, or the database is away: asking tells. */
  private findOut(reason: unknown): void {
    this.ask().then(
      () => this.failures.failed(reason),
      () => undefined,
    );
  }

  private async askUntilAnswered(): Promise<void> {
    while (this.away && !this.closed) {
      await sleep(ASK_INTERVAL, undefined, { ref: false });
      await this.askOnce().catch(() => undefined);
    }
    this.asking = undefined;
    if (!this.away) this.outage.over();
  }

  private async askOnce(): Promise<void> {
    await within<unknown>(
      DEADLINE,
      this.isSetUp ? this.pool.query("SELECT 1") : setUp(this.pool, this.schema, this.log),
    );
    this.isSetUp = true;
    this.away = false;
  }
}

/** Settles as the work does, or rejects once `milliseconds` have passed. The work itself goes on, unheard. */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // The error is made only if it is needed: its stack costs more than everything else here.
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
