import { type Collection, MongoClient, type MongoClientOptions } from "mongodb";
import { isPetConflict } from "../../application/ports/pet-archive.js";
import type { StorageLog } from "../../application/ports/storage-adapter.js";
import { isPetstoreError, storageUnavailable } from "../../domain/errors.js";
import { within } from "./deadline.js";
import type { PetDocument } from "./documents.js";
import { CODE, DatabaseError, hasCode, RefusedError } from "./errors.js";
import { type CounterDocument, PetIds } from "./pet-ids.js";
import { type Indexes, setUp } from "./set-up.js";

/** How long an operation may take as a whole, retries included, in milliseconds. */
export const DEADLINE = 4000;

/** How long a disconnect may take, in milliseconds. */
const DISCONNECT_PATIENCE = 500;

/** The driver's own limits, in milliseconds: without them it waits for ever. Its `timeoutMS` does nothing in 7.8. */
const CLIENT_OPTIONS: MongoClientOptions = {
  appName: "petstore",
  // Overrides the URL: with `useBigInt64` driver 7.8 ends the process when a primary steps down, since it can
  // no longer read the server's `topologyVersion`. This adapter reads documents from their bytes instead.
  useBigInt64: false,
  promoteLongs: true,
  promoteValues: true,
  raw: false,
  serverSelectionTimeoutMS: 2000,
  connectTimeoutMS: 2500,
  socketTimeoutMS: 2500,
  waitQueueTimeoutMS: 2000,
  heartbeatFrequencyMS: 2000,
  maxConnecting: 16,
};

/** Acknowledged writes survive the loss of any minority of the servers, and reads see only such writes. */
const COLLECTION_OPTIONS = {
  writeConcern: { w: "majority", journal: true, wtimeoutMS: 2000 },
  readConcern: { level: "majority" },
  readPreference: "primary",
} as const;

/** The database, connected to and set up. */
export interface Database {
  readonly pets: Collection<PetDocument>;
  readonly counters: Collection<CounterDocument>;
  readonly ids: PetIds;
  readonly indexes: Indexes;
}

/** Connects to the database and sets it up as soon as it is there. Gives every operation a deadline. */
export class Connection {
  private client: MongoClient | undefined;
  private database: Database | undefined;
  private preparing: Promise<Database> | undefined;
  private closed = false;
  /** How many connections are open, and how many of them operations use now. */
  readonly pool = { open: 0, inUse: 0 };
  private readonly underWay = new Set<Promise<unknown>>();

  /** @throws Error if the driver refuses the URL. */
  constructor(
    private readonly url: string,
    private readonly log: StorageLog,
  ) {
    refuseUnusable(url);
  }

  /**
   * @throws PetstoreError `storage_unavailable` within 5 seconds; errors that the operation throws on purpose
   */
  async run<Result>(operation: (database: Database) => Promise<Result>): Promise<Result> {
    if (this.closed) throw storageUnavailable(new DatabaseError("the storage is closed"));
    const work = within(DEADLINE, this.use(operation));
    this.underWay.add(work);
    try {
      return await work;
    } catch (error) {
      if (isPetstoreError(error) || isPetConflict(error) || error instanceof RefusedError) throw error;
      // The driver also rejects with errors that are not its own, such as `Error: write ECONNRESET`.
      throw storageUnavailable(error);
    } finally {
      this.underWay.delete(work);
    }
  }

  /** Lets operations finish, within their deadlines, and disconnects. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.underWay);
    // The driver sends a last command, and 7.8 waits for ever if the socket was reset just before.
    const closing = this.client?.close();
    if (closing) await within(DISCONNECT_PATIENCE, closing).catch(() => undefined);
  }

  private async use<Result>(operation: (database: Database) => Promise<Result>): Promise<Result> {
    const database = this.database ?? (await this.prepared());
    try {
      return await operation(database);
    } catch (error) {
      // The index that lists name is gone, so set it up again, unless another operation has just done so.
      if (hasCode(error, CODE.BadValue) && this.database === database) this.database = undefined;
      throw error;
    }
  }

  /** Connects and sets up, once for all callers that wait. */
  private prepared(): Promise<Database> {
    this.preparing ??= this.prepareOnce().finally(() => {
      this.preparing = undefined;
    });
    return this.preparing;
  }

  private async prepareOnce(): Promise<Database> {
    this.client ??= await this.connect();
    const database = this.client.db(databaseName(this.url));
    const pets = database.collection<PetDocument>("pets", COLLECTION_OPTIONS);
    const counters = database.collection<CounterDocument>("counters", COLLECTION_OPTIONS);
    const ids = new PetIds(counters, pets);
    const indexes = await setUp(database, pets, this.log);
    await ids.seed();
    this.database = { pets, counters, ids, indexes };
    return this.database;
  }

  private async connect(): Promise<MongoClient> {
    // If a client has once failed to connect, all its later calls reject with MongoTopologyClosedError.
    const client = new MongoClient(this.url, CLIENT_OPTIONS);
    this.countConnections(client);
    const connecting = client.connect();
    try {
      await within(DEADLINE, connecting);
      if (this.closed) throw new Error("closed while connecting");
      return client;
    } catch (error) {
      const abandon = () => client.close();
      connecting.then(abandon, abandon).catch(() => undefined);
      throw error;
    }
  }

  private countConnections(client: MongoClient): void {
    const { pool } = this;
    // If driver 7.8 clears the pool, it drops connections that are not ready yet, and emits no event for
    // them.
    const ready = new Set<string>();
    type Event = { readonly address: string; readonly connectionId: number | string };
    const name = ({ address, connectionId }: Event) => `${address} ${connectionId}`;
    client.on("connectionReady", (event) => {
      ready.add(name(event));
      pool.open++;
    });
    client.on("connectionClosed", (event) => {
      if (ready.delete(name(event))) pool.open--;
    });
    client.on("connectionCheckedOut", () => pool.inUse++);
    client.on("connectionCheckedIn", () => pool.inUse--);
  }
}

/** Makes a client, which does not connect yet, so that the driver names the faults of a URL. */
function refuseUnusable(url: string): void {
  try {
    new MongoClient(url, CLIENT_OPTIONS);
  } catch (error) {
    const [, password] = /^[^/]+\/\/[^/@]*:([^/@]+)@/.exec(url) ?? [];
    const { message } = error as Error;
    const said = password && message.includes(password) ? "its password is malformed" : message;
    throw new Error(`PETSTORE_STORAGE is not a MongoDB URL that the driver takes: ${said}`);
  }
}

/** The name in the path of a URL, or else `petstore`. */
function databaseName(url: string): string {
  const [, name] = /^[^/]+\/\/[^/?]+\/([^?]+)/.exec(url) ?? [];
  return name ?? "petstore";
}
