import {
  type Db,
  MongoClient,
  type MongoClientOptions,
  MongoServerSelectionError,
  ReadConcern,
} from "mongodb";
import { isPetstoreError, storageUnavailable } from "../../domain/errors.js";
import { explain, PermanentError } from "./mongodb-errors.js";

/** Time limits in milliseconds: of an operation as a whole, of a start without the database, and of a disconnect. */
const TIMEOUTS = { operation: 4000, start: 3000, disconnect: 500 };

/** Of work that one caller does for all. Driver 7.8 waits for ever if it writes to a socket at the moment it closes. */
export const SHARED_TIMEOUT = 8000;

/** The driver's limits for each attempt; by default it waits for ever. Shorter ones in the URL take precedence. */
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

/** A database that may be down: connects and sets it up as soon as it is up, and gives every operation a deadline. */
export class Connection {
  private readonly options: MongoClientOptions;
  private client: MongoClient | undefined;
  /** The database of `client`, once it is connected and set up. */
  private database: Promise<Db> | undefined;
  private readonly inFlight = new Set<Promise<unknown>>();

  constructor(
    private readonly url: string,
    private readonly setUp: (db: Db) => Promise<void>,
  ) {
    const { appName = "petstore", ...given } = new MongoClient(url).options;
    const timeouts = Object.entries(DRIVER_TIMEOUTS).map(([name, limit]) => [
      name,
      Math.min(given[name as keyof typeof DRIVER_TIMEOUTS] || limit, limit),
    ]);
    this.options = { ...BSON_OPTIONS, ...Object.fromEntries(timeouts), appName, readPreference: "primary" };
  }

  /** Waits for the database, but not for long. @throws PermanentError if it can never work as it stands */
  async open(): Promise<void> {
    await withTimeout(TIMEOUTS.start, this.connect()).catch(({ cause }) => {
      if (cause instanceof PermanentError) throw cause;
    });
  }

  /** @throws PetstoreError `storage_unavailable` within 5 seconds, or a PermanentError of the operation */
  async run<Result>(operation: (db: Db) => Promise<Result>): Promise<Result> {
    const database = this.connect();
    const work = withTimeout(TIMEOUTS.operation, database.then(operation));
    this.inFlight.add(work);
    try {
      return await work;
    } catch (error) {
      // A monitor of driver 7.8 may hang like that (see `SHARED_TIMEOUT`); its client then never finds the server again.
      if (error instanceof MongoServerSelectionError && this.database === database) void this.disconnect();
      if (isPetstoreError(error) || error instanceof PermanentError) throw error;
      // The driver also rejects with errors that are not its own, such as `Error: write ECONNRESET`.
      throw storageUnavailable(explain(error));
    } finally {
      this.inFlight.delete(work);
    }
  }

  /** Lets operations finish, within their deadlines, and disconnects. */
  async close(): Promise<void> {
    await Promise.allSettled(this.inFlight);
    await this.disconnect();
  }

  /** Connects once for all callers. After a failure the next caller tries again. */
  private connect(): Promise<Db> {
    this.database ??= withTimeout(SHARED_TIMEOUT, this.connectClient()).catch(async (error) => {
      await this.disconnect();
      throw storageUnavailable(explain(error));
    });
    return this.database;
  }

  private async connectClient(): Promise<Db> {
    const client = new MongoClient(this.url, this.options);
    this.client = client;
    await client.connect();
    // Disconnected meanwhile: a DNS lookup may take longer.
    if (this.client !== client) await client.close();
    const [, name = "petstore"] = /\/\/[^/?]+\/([^?]+)/.exec(this.url) ?? [];
    const db = client.db(name, DB_OPTIONS);
    await this.setUp(db);
    return db;
  }

  private async disconnect(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.database = undefined;
    // Sends a last command.
    if (client) await withTimeout(TIMEOUTS.disconnect, client.close()).catch(() => undefined);
  }
}

/** Settles as the work does, or rejects after so many milliseconds; the work then goes on unobserved. */
export function withTimeout<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the database did not answer within ${milliseconds} ms`));
    const timer = setTimeout(late, milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
