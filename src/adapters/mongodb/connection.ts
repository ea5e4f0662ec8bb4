import { type Db, MongoClient, ReadConcern } from "mongodb";
import { isPetConflict } from "../../application/ports/pet-archive.js";
import type { StorageContext } from "../../application/storage-adapter.js";
import { isPetstoreError, storageUnavailable } from "../../domain/errors.js";
import { PermanentError } from "./mongodb-errors.js";
import { setUp } from "./set-up.js";

/** Time limits in milliseconds: of an operation as a whole, of a start without the database, and of a disconnect. */
const TIMEOUTS = { operation: 4000, start: 3000, close: 500 };

/** The driver's limits for each attempt; its defaults are endless. Shorter ones in the URL take precedence. */
const DRIVER_TIMEOUTS = {
  connectTimeoutMS: 2500,
  // Longer than a connect, whose error says why no server can be selected.
  serverSelectionTimeoutMS: 2700,
  socketTimeoutMS: 3500,
  waitQueueTimeoutMS: 3000,
  heartbeatFrequencyMS: 2000,
};

/** Override the URL. With `useBigInt64` driver 7.8 crashes the process when a primary steps down. */
const BSON_OPTIONS = { useBigInt64: false, promoteLongs: true, promoteValues: true, raw: false };

/** Override the URL: acknowledged writes survive the loss of any minority of servers, and reads see only such writes. */
const DB_OPTIONS = {
  writeConcern: { w: "majority", journal: true, wtimeoutMS: 2000 },
  readConcern: new ReadConcern("majority"),
  readPreference: "primary",
} as const;

/** A database that may be away: connects and sets it up once it is there, and gives every operation a deadline. */
export class Connection {
  readonly db: Db;
  private readonly client: MongoClient;
  private ready: Promise<void> | undefined;
  private readonly inFlight = new Set<Promise<unknown>>();
  private closed = false;

  constructor(
    url: string,
    private readonly context: StorageContext,
  ) {
    const { appName = "petstore", ...asked } = new MongoClient(url).options;
    const timeouts = Object.entries(DRIVER_TIMEOUTS).map(([name, most]) => [
      name,
      Math.min(asked[name as keyof typeof DRIVER_TIMEOUTS] || most, most),
    ]);
    const options = { ...BSON_OPTIONS, ...Object.fromEntries(timeouts), appName };
    this.client = new MongoClient(url, { ...options, readPreference: "primary" });
    const [, database = "petstore"] = /\/\/[^/?]+\/([^?]+)/.exec(url) ?? [];
    this.db = this.client.db(database, DB_OPTIONS);
  }

  /** Waits for the database, but not for long. @throws PermanentError if it can never work as it stands */
  async open(): Promise<void> {
    await withTimeout(TIMEOUTS.start, this.prepare()).catch(async ({ cause }) => {
      if (!(cause instanceof PermanentError)) return;
      await this.close();
      throw cause;
    });
  }

  /** @throws PetstoreError `storage_unavailable` within 5 seconds; a PetConflict or PermanentError of the operation */
  async run<Result>(operation: () => Promise<Result>): Promise<Result> {
    const work = withTimeout(TIMEOUTS.operation, this.prepare().then(operation));
    this.inFlight.add(work);
    try {
      return await work;
    } catch (error) {
      if (isPetstoreError(error) || isPetConflict(error) || error instanceof PermanentError) throw error;
      // The driver also rejects with errors that are not its own, such as `Error: write ECONNRESET`.
      throw storageUnavailable(error);
    } finally {
      this.inFlight.delete(work);
    }
  }

  /** Lets operations finish, within their deadlines, and disconnects. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.inFlight);
    // Driver 7.8 sends a last command, and waits for ever if its socket was reset just before.
    await withTimeout(TIMEOUTS.close, this.client.close()).catch(() => undefined);
  }

  /** Connects and sets up once for all callers. After a failure the next caller tries again. */
  private prepare(): Promise<void> {
    this.ready ??= this.connect().catch((error) => {
      this.ready = undefined;
      throw storageUnavailable(error);
    });
    return this.ready;
  }

  private async connect(): Promise<void> {
    // Once a first connect has failed, driver 7.8 rejects every other call until `connect` succeeds.
    await this.client.connect();
    // A DNS lookup may take longer than `close` waits.
    if (this.closed) await this.client.close();
    await setUp(this.db, this.context);
  }
}

/** Settles as the work does, or rejects after so many milliseconds; the work then goes on, and nobody awaits it. */
function withTimeout<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the database did not answer within ${milliseconds} ms`));
    const timer = setTimeout(late, milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
