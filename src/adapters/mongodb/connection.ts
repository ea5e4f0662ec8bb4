import { type Collection, type Db, MongoClient, type MongoClientOptions } from "mongodb";
import { isPetConflict } from "../../application/ports/pet-archive.js";
import { storageUnavailable } from "../../domain/errors.js";
import { within } from "../../storages/around/deadline.js";
import type { StorageLog } from "../../storages/storage-adapter.js";
import { DatabaseError, RefusedError } from "./errors.js";
import { type CounterDocument, Ids } from "./ids.js";
import { DEADLINE, type KeptDocument } from "./reading.js";
import { identityOf, type Kept, setUp } from "./set-up.js";

/** How long a disconnect may take, in milliseconds. */
const DISCONNECT_PATIENCE = 500;

/** The driver tries again by itself. Without these limits (in milliseconds) it would wait for ever. */
const CLIENT_OPTIONS: MongoClientOptions = {
  appName: "petstore",
  retryReads: true,
  retryWrites: true,
  serverSelectionTimeoutMS: 2000,
  connectTimeoutMS: 2500,
  socketTimeoutMS: 3500,
  waitQueueTimeoutMS: 3000,
  heartbeatFrequencyMS: 2000,
  maxConnecting: 16,
  // With `useBigInt64` in the URL driver 7.8 would end the process when a primary steps down, since it could no longer
  // read the server's `topologyVersion`. This adapter reads documents from their bytes instead.
  useBigInt64: false,
  promoteLongs: true,
  promoteValues: true,
  raw: false,
};

/** Acknowledged writes survive the loss of any minority of the servers, and reads see only such writes. */
const COLLECTION_OPTIONS = {
  writeConcern: { w: "majority", journal: true, wtimeoutMS: 2000 },
  readConcern: { level: "majority" },
  readPreference: "primary",
} as const;

/** Connects to the database and sets it up as soon as it is there. Gives every operation a deadline. */
export class Connection {
  private readonly client: MongoClient;
  private readonly db: Db;
  /** As `Storage.identity`; undefined until the database was there once. */
  identity: string | undefined;
  /** All that the database keeps; the first tells its identity. */
  private readonly kept: Kept[] = [];
  private prepared: Promise<void> | undefined;
  private closed = false;
  private settingUp: Promise<void> | undefined;
  private readonly underWay = new Set<Promise<unknown>>();

  /**
   * @param log gets a line if the validator of a collection is another one
   * @param mayMake whether indexes, validator and counter are made if they are missing
   * @throws Error if the driver refuses the URL
   */
  constructor(
    url: string,
    private readonly log: StorageLog,
    private readonly mayMake: boolean,
  ) {
    this.client = clientOf(url);
    this.db = this.client.db(databaseName(url));
  }

  /** Adds a collection, which is made and set up as soon as the database is there. To be called before any operation. */
  keep<Kind extends KeptDocument>(name: string, parts: Pick<Kept, "indexes" | "schema">) {
    const collection = this.db.collection<KeptDocument>(name, COLLECTION_OPTIONS);
    const ids = new Ids(this.db.collection<CounterDocument>("counters", COLLECTION_OPTIONS), collection);
    this.kept.push({ ...parts, collection, ids });
    return { collection: collection as unknown as Collection<Kind>, ids };
  }

  /**
   * @throws PetstoreError `storage_unavailable` within 5 seconds; errors that the operation throws on purpose
   */
  async run<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (this.closed) throw storageUnavailable(new DatabaseError("the storage is closed"));
    const deadline = performance.now() + DEADLINE;
    const begin = () => {
      // Nobody awaits it any more: a create would store a pet whose client has got its 503.
      if (performance.now() > deadline) throw new DatabaseError("the set-up of the database took too long");
      return operation();
    };
    const work = limited(DEADLINE, this.prepare().then(begin));
    this.underWay.add(work);
    try {
      return await work;
    } catch (error) {
      if (isPetConflict(error) || error instanceof RefusedError) throw error;
      // The driver also rejects with errors that are not its own, such as `Error: write ECONNRESET`.
      throw storageUnavailable(error);
    } finally {
      this.underWay.delete(work);
    }
  }

  /** Resolves if the database can be used. Makes what has gone since it was set up, such as the index that keeps keys apart. */
  ping(): Promise<void> {
    return this.run(() => this.setUp());
  }

  /** Lets operations finish, within their deadlines, and disconnects. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.underWay);
    // The driver sends a last command, and 7.8 waits for ever if the socket was reset just before.
    await limited(DISCONNECT_PATIENCE, this.client.close()).catch(() => undefined);
  }

  /** Connects and sets up, once for all callers. After a failure the next operation tries again. */
  private prepare(): Promise<void> {
    this.prepared ??= this.prepareNow().catch((error) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  private async prepareNow(): Promise<void> {
    // Once a first connect has failed, driver 7.8 rejects every other call until `connect` has succeeded.
    await this.client.connect();
    // A look-up of the servers' names may take longer than any operation waits for it.
    if (this.closed) await this.client.close();
    await this.setUp();
    if (this.mayMake) await Promise.all(this.kept.map(({ ids }) => ids.seed()));
  }

  /** Callers that come meanwhile share one set-up: a new index of many pets takes minutes. */
  private setUp(): Promise<void> {
    this.settingUp ??= this.setUpNow().finally(() => {
      this.settingUp = undefined;
    });
    return this.settingUp;
  }

  private async setUpNow(): Promise<void> {
    if (this.mayMake) await Promise.all(this.kept.map((one) => setUp(this.db, one, this.log)));
    const [first] = this.kept;
    this.identity = first && (await identityOf(this.db, first, this.mayMake));
  }
}

/** Settles as the work does, but rejects after so many milliseconds. */
export function limited<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const late = () => new DatabaseError(`the database did not answer within ${milliseconds} ms`);
  return within(milliseconds, work, late);
}

/** Makes a client, which does not connect yet. */
function clientOf(url: string): MongoClient {
  try {
    return new MongoClient(url, CLIENT_OPTIONS);
  } catch (error) {
    // If the message repeats a password, `open-storage.ts` hides it.
    throw new Error(
      `PETSTORE_STORAGE is not a MongoDB URL that the driver takes: ${(error as Error).message}`,
    );
  }
}

/** The name in the path of a URL, or else `petstore`. */
function databaseName(url: string): string {
  const [, name] = /^[^/]+\/\/[^/?]+\/([^?]+)/.exec(url) ?? [];
  return name ?? "petstore";
}
