import { type Collection, type Db, MongoClient, type MongoClientOptions, ReadConcern } from "mongodb";
import { isPetConflict } from "../../application/ports/pet-archive.js";
import type { StorageLog } from "../../application/ports/storage.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { Kind } from "../guard/around.js";
import { within } from "../guard/deadline.js";
import type { KeyDocument } from "./documents.js";
import { DatabaseError, RefusedError } from "./errors.js";
import { type CounterDocument, Ids } from "./ids.js";
import { Places } from "./places.js";
import { DEADLINE, type KeptDocument } from "./reading.js";
import { collectionsOf, type Kept, setUp } from "./set-up.js";

/** How long a disconnect may take, in milliseconds. */
const DISCONNECT_PATIENCE = 500;

/** How long it may take to connect and set up, in milliseconds. If it takes longer, the next operation begins anew. */
const SET_UP_PATIENCE = 20_000;

/** The driver tries again by itself. Without these limits (in milliseconds) it would wait for ever. */
const CLIENT_OPTIONS: MongoClientOptions = {
  appName: "petstore",
  retryReads: true,
  retryWrites: true,
  // Longer than a connect may take, so that its error says why a selection failed, e.g. that the server has no TLS.
  serverSelectionTimeoutMS: 2700,
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
const DATABASE_OPTIONS = {
  writeConcern: { w: "majority", journal: true, wtimeoutMS: 2000 },
  readConcern: new ReadConcern("majority"),
  readPreference: "primary",
} as const;

/** Connects to the database and sets it up as soon as it is there. Gives every operation a deadline. */
export class Connection {
  private readonly client: MongoClient;
  private readonly db: Db;
  private readonly places: Places;
  /** All that the database keeps; the first tells its identity. */
  private readonly kept: Kept[] = [];
  private prepared: Promise<void> | undefined;
  /** When the set-up began, by `performance.now()`. */
  private began = 0;
  private closed = false;
  /** The UUIDs of the collections by their names, as this process found them first. */
  private uuids: ReadonlyMap<string, string> | undefined;
  /** The database is not the one that it was. Only a restart accepts it. */
  private changed: DatabaseError | undefined;
  private readonly underWay = new Set<Promise<unknown>>();

  /**
   * @param log gets a line if the validator of a collection is another one
   * @param mayMake whether collections, index, validator and counter are made if they are missing
   */
  constructor(
    url: string,
    private readonly log: StorageLog,
    private readonly mayMake: boolean,
  ) {
    this.client = new MongoClient(url, CLIENT_OPTIONS);
    this.db = this.client.db(databaseName(url), DATABASE_OPTIONS);
    this.places = new Places(this.client.options.maxPoolSize || Number.POSITIVE_INFINITY);
  }

  /** As `Storage.identity`; undefined until the database was there once. */
  get identity(): string | undefined {
    return this.uuids?.get(this.kept[0]?.collection.collectionName ?? "");
  }

  /** Adds a collection, which is made and set up as soon as the database is there. To be called before any operation. */
  keep<Kind extends KeptDocument>(name: string, parts: Pick<Kept, "indexes" | "schema">) {
    const collection = this.db.collection<KeptDocument>(name);
    const keys = this.db.collection<KeyDocument>(`${name}_keys`);
    const ids = new Ids(this.db.collection<CounterDocument>("counters"), collection);
    this.kept.push({ ...parts, collection, keys, ids });
    return { collection: collection as unknown as Collection<Kind>, keys, ids };
  }

  /**
   * @param kind a write is refused if the database is not the one that it was
   * @throws PetstoreError `storage_unavailable` within 5 seconds; errors that the operation throws on purpose
   */
  async run<Result>(kind: Kind, operation: () => Promise<Result>): Promise<Result> {
    if (this.closed) throw storageUnavailable(new DatabaseError("the storage is closed"));
    const deadline = performance.now() + DEADLINE;
    const place = this.places.enter(kind);
    const begin = () => {
      // Nobody awaits it any more: a create would store a pet whose client has got its 503.
      if (performance.now() > deadline) throw new DatabaseError("the operation could not begin in time");
      if (this.changed && kind === "write") throw this.changed;
      return operation();
    };
    const work = limited(DEADLINE, place.then(() => this.prepare()).then(begin));
    this.underWay.add(work);
    try {
      return await work;
    } catch (error) {
      if (isPetConflict(error) || error instanceof RefusedError) throw error;
      // The driver also rejects with errors that are not its own, such as `Error: write ECONNRESET`.
      throw storageUnavailable(error);
    } finally {
      place.then(
        (leave) => leave(),
        () => undefined,
      );
      this.underWay.delete(work);
    }
  }

  /**
   * Resolves if the database can be used, and is the one that it was. One command, which writes nothing, and waits in turn
   * with writes: those that succeed show that it could have as well.
   */
  ping(): Promise<void> {
    return this.run("write", () => this.look());
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
    // Nobody waits any longer for one that may never settle.
    if (!this.uuids && performance.now() - this.began > SET_UP_PATIENCE) this.prepared = undefined;
    if (!this.prepared) {
      this.began = performance.now();
      const attempt = this.prepareNow();
      this.prepared = attempt;
      attempt.catch(() => {
        if (this.prepared === attempt) this.prepared = undefined;
      });
    }
    return this.prepared;
  }

  private async prepareNow(): Promise<void> {
    // Once a first connect has failed, driver 7.8 rejects every other call until `connect` has succeeded.
    await this.client.connect();
    // A look-up of the servers' names may take longer than any operation waits for it.
    if (this.closed) await this.client.close();
    if (this.mayMake) for (const one of this.kept) await setUp(this.db, one, this.log);
    await this.look();
  }

  /** Compares the collections with those that this process found first. */
  private async look(): Promise<void> {
    const found = await collectionsOf(this.db, this.kept);
    const now = new Map(Array.from(found, ([name, { info }]) => [name, String(info?.uuid)]));
    const name = this.kept[0]?.collection.collectionName ?? "";
    if (!this.uuids && !now.has(name)) {
      if (this.mayMake) throw new DatabaseError("the collection went while it was set up");
      const { databaseName } = this.db;
      throw new RefusedError(`The database ${databaseName} has no collection ${name}; correct the URL.`);
    }
    this.uuids ??= now;
    for (const [name, uuid] of this.uuids) {
      if (now.get(name) === uuid) continue;
      const seen = now.has(name) ? `now has ${now.get(name)}` : "is gone";
      this.changed ??= new DatabaseError(
        `the database is another one than at the start, and takes no creates: the collection ${name} had the UUID ${uuid}, ` +
          `and ${seen}; stop the service, restore what is missing, and start the service`,
      );
    }
    if (this.changed) throw this.changed;
  }
}

/** Settles as the work does, but rejects after so many milliseconds. */
export function limited<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const late = () => new DatabaseError(`the database did not answer within ${milliseconds} ms`);
  return within(milliseconds, work, late);
}

/** The name in the path of a URL, or else `petstore`. */
function databaseName(url: string): string {
  const [, name] = /^[^/]+\/\/[^/?]+\/([^?]+)/.exec(url) ?? [];
  return name ?? "petstore";
}
