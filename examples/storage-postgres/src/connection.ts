import { setTimeout as sleep } from "node:timers/promises";
import { type StorageLog, storageUnavailable } from "petstore/storage";
import type pg from "pg";
import { isOwnFault } from "./errors.js";
import { makePool, optionsOf } from "./pool.js";
import { setUp } from "./set-up.js";

/** How long an operation may take as a whole, in milliseconds: the port promises an answer within 5 seconds. */
const DEADLINE = 4000;

/**
 * Runs operations on a database that may be away at any time, also at the start. The service itself refuses
 * operations while the database is away, asks it until it answers, and logs the outage.
 */
export class Connection {
  readonly pool: pg.Pool;
  private readonly schema: string | undefined;
  private prepared: Promise<void> | undefined;
  private underWay = 0;

  /** @throws Error if the driver does not take the URL. */
  constructor(
    url: string,
    private readonly log: StorageLog,
  ) {
    this.pool = makePool(url);
    this.schema = optionsOf(url).schema;
  }

  /** @throws PetstoreError `storage_unavailable`, within 5 seconds; errors that are the fault of the sent values */
  async run<Result>(operation: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
    this.underWay++;
    try {
      return await within(
        DEADLINE,
        this.prepare().then(() => operation(this.pool)),
      );
    } catch (error) {
      throw isOwnFault(error) ? error : storageUnavailable(error);
    } finally {
      this.underWay--;
    }
  }

  /**
   * Sets the database up if it is not yet, once for all callers. If that fails, the next call tries again.
   *
   * @throws UnusableDatabase, or the driver's error
   */
  prepare(): Promise<void> {
    this.prepared ??= setUp(this.pool, this.schema, this.log).catch((error) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  /** Lets operations finish, within their deadlines, and disconnects. Gives up a connection that hangs. */
  async close(): Promise<void> {
    while (this.underWay > 0) await sleep(5);
    await within(DEADLINE, this.pool.end()).catch(() => undefined);
  }
}

/** Settles as the work does, or rejects after `milliseconds`. The work then goes on, and nobody awaits it. */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // Makes the error only if somebody needs it: its stack costs more than everything else here.
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
