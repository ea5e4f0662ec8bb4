import { type Db, MongoClient, MongoServerSelectionError, ReadConcern } from "mongodb";
import { isPetConflict } from "../../application/ports/pet-archive.js";
import { isPetstoreError, storageUnavailable } from "../../domain/errors.js";
import { type Database, databaseOf } from "./documents.js";
import { explain, PermanentError } from "./mongodb-errors.js";

/**
 * Time limits (ms): of an operation, of a start without the database, of work that all callers share, such as
 * connecting, and of a disconnect. Driver 7.9 hangs if it writes to a socket at the moment it closes.
 */
export const TIMEOUTS = { operation: 4000, start: 3000, shared: 8000, disconnect: 500 };

/** Limits of the driver (ms), unlimited by default. Shorter limits in the URL take precedence. */
const DRIVER_TIMEOUTS = {
  connectTimeoutMS: 2500,
  // Longer than a connect, whose error says why no server can be selected.
  serverSelectionTimeoutMS: 2700,
  socketTimeoutMS: 3500,
  // Shorter than a socket's, so that only one operation times out on a connection that a firewall forgot.
  maxIdleTimeMS: 3000,
  waitQueueTimeoutMS: 3000,
  heartbeatFrequencyMS: 2000,
};

/** Options of every read: the server's time limit (ms). */
export const READ = { maxTimeMS: 2500 } as const;

/** Overrides the URL. With `useBigInt64` driver 7.9 crashes the process when a primary steps down. */
const BSON_OPTIONS = { useBigInt64: false, promoteLongs: true, promoteValues: true, raw: false };

/** Overrides the URL: acknowledged writes survive the loss of a minority of servers; reads see only these. */
const DB_OPTIONS = {
  writeConcern: { w: "majority", journal: true, wtimeoutMS: 2000 },
  readConcern: new ReadConcern("majority"),
  readPreference: "primary",
} as const;

/** A database that may be down: connects as soon as it is up, and limits the time of every operation. */
export class Connection {
  private client: MongoClient | undefined;
  /** The database of `client`, once it is connected and set up. */
  private database: Promise<Database> | undefined;
  private isSetUp = false;
  private readonly inFlight = new Set<Promise<unknown>>();

  constructor(
    private readonly url: string,
    /** Runs after each connect until it has succeeded once. */
    private readonly setUp: (db: Db) => Promise<void>,
  ) {}

  /** Waits for the database, up to 3 s. @throws PermanentError if it can never work as it stands */
  async open(): Promise<void> {
    await withTimeout(TIMEOUTS.start, this.connect()).catch(({ cause }) => {
      if (cause instanceof PermanentError) throw cause;
    });
  }

  /** @throws PetstoreError `storage_unavailable` within 5 s; otherwise PetConflict, PermanentError */
  async run<Result>(operation: (database: Database) => Promise<Result>): Promise<Result> {
    const database = this.connect();
    const work = withTimeout(TIMEOUTS.operation, database.then(operation));
    this.inFlight.add(work);
    try {
      return await work;
    } catch (error) {
      // A monitor of driver 7.9 may hang, too (see `TIMEOUTS`); its client never finds the server again.
      if (error instanceof MongoServerSelectionError && this.database === database) void this.disconnect();
      if (isPetstoreError(error) || isPetConflict(error) || error instanceof PermanentError) throw error;
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
  private connect(): Promise<Database> {
    this.database ??= withTimeout(TIMEOUTS.shared, this.connectClient()).catch(async (error) => {
      await this.disconnect();
      throw storageUnavailable(explain(error));
    });
    return this.database;
  }

  private async connectClient(): Promise<Database> {
    const client = new MongoClient(this.url, optionsFor(this.url));
    this.client = client;
    await client.connect();
    // A slow DNS lookup may end after `disconnect`.
    if (this.client !== client) await client.close();
    const [, name = "petstore"] = /\/\/[^/?]+\/([^?]+)/.exec(this.url) ?? [];
    const db = client.db(name, DB_OPTIONS);
    if (!this.isSetUp) await this.setUp(db);
    this.isSetUp = true;
    return databaseOf(db);
  }

  private async disconnect(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.database = undefined;
    // Limits the time, since `close` sends a last command.
    if (client) await withTimeout(TIMEOUTS.disconnect, client.close()).catch(() => undefined);
  }
}

function optionsFor(url: string) {
  const given = new URLSearchParams(url.toLowerCase().split("?")[1]);
  const timeouts = Object.entries(DRIVER_TIMEOUTS).map(([name, limit]) => {
    const shorter = Number(given.get(name.toLowerCase())) || limit;
    return [name, Math.min(shorter, limit)];
  });
  const appName = given.has("appname") ? {} : { appName: "petstore" };
  return { ...BSON_OPTIONS, ...Object.fromEntries(timeouts), ...appName, readPreference: "primary" };
}

/** Settles as the work does, or rejects after so many milliseconds; the work then continues unobserved. */
export function withTimeout<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the database did not respond within ${milliseconds} ms`));
    // After a pause of the process the timer fires before pending input is read, so let the input go first.
    const timer = setTimeout(() => setImmediate(late), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
