import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Collection, CollectionInfo, Db, Document, IndexDescription } from "mongodb";
import type { StorageLog } from "../../storages/storage-adapter.js";
import { CODE, DatabaseError, hasCode, isDuplicateInIndex, RefusedError } from "./errors.js";
import type { Ids } from "./ids.js";
import type { KeptDocument } from "./reading.js";

/** A collection that keeps a resource, and all that it must have. */
export interface Kept {
  readonly collection: Collection<KeptDocument>;
  readonly ids: Ids;
  /** At least one: the first makes the collection. */
  readonly indexes: readonly IndexDescription[];
  /** The rule for its documents, as MongoDB's `$jsonSchema`. It binds other writers. */
  readonly schema: Document;
}

/** How often to begin again if the collection goes meanwhile, and how long to wait before, in milliseconds. */
const AGAIN = { times: 5, pause: 50 };

/**
 * Makes the indexes and the validator if they are missing; any number of processes may do so at once. If all
 * are there, only reads, so that a user without the right to change them is enough. Never drops or replaces anything.
 *
 * @throws MongoServerError that names the index, if one with another shape is in the way.
 */
export async function setUp(database: Db, kept: Kept, log: StorageLog): Promise<void> {
  for (let left = AGAIN.times; ; left--) {
    try {
      return await setUpOnce(database, kept, log);
    } catch (error) {
      // DocumentDB's engine, as behind FerretDB, may not see for a moment what another of its connections has made.
      if (left === 0 || !hasCode(error, CODE.NamespaceNotFound)) throw error;
      await sleep(AGAIN.pause);
    }
  }
}

async function setUpOnce(
  database: Db,
  { collection, indexes, schema }: Kept,
  log: StorageLog,
): Promise<void> {
  const name = collection.collectionName;
  const info = await find(database, collection);
  const existing = info ? (await collection.listIndexes().toArray()).map(shapeOf) : [];
  const missing = indexes.filter((index) => !existing.includes(shapeOf(index)));
  if (missing.length > 0) await makeIndexes(collection, missing, log);
  const [wanted, found] = [{ $jsonSchema: schema }, info?.options?.validator];
  // One kind of server ignores a validator that a collection is made with.
  if (!found) await database.command({ collMod: name, validator: wanted });
  else if (!isDeepStrictEqual(found, wanted) && !told.has(collection)) {
    told.add(collection);
    log.warn(`the collection ${name} has another validator than this program's, and keeps it`);
  }
}

/** The collections of which the log has the line about the validator. */
const told = new WeakSet<object>();

async function makeIndexes(
  collection: Collection<KeptDocument>,
  missing: IndexDescription[],
  log: StorageLog,
): Promise<void> {
  try {
    await collection.createIndexes(missing);
  } catch (error) {
    if (!isDuplicateInIndex(error)) throw error;
    const changed = await keepFirstRecords(collection);
    log.warn(
      { [collection.collectionName]: changed },
      "documents stored under a key that another one has, without the index, lost their record",
    );
    await collection.createIndexes(missing);
  }
}

/** Lets only the first document under an idempotency key keep its record, and gives the number of the others. */
async function keepFirstRecords(collection: Collection<KeptDocument>): Promise<number> {
  const twice = collection.aggregate<{ first: bigint; all: bigint[] }>(
    [
      { $match: { "idempotency.key": { $exists: true } } },
      { $group: { _id: "$idempotency.key", first: { $min: "$_id" }, all: { $push: "$_id" } } },
      { $match: { "all.1": { $exists: true } } },
    ],
    // Several processes may ask at once, and the driver gives up soon after that.
    { allowDiskUse: true, maxTimeMS: 3000 },
  );
  let changed = 0;
  for await (const { first, all } of twice) {
    const others = { _id: { $in: all, $ne: first } };
    changed += (await collection.updateMany(others, { $unset: { idempotency: "" } } as Document))
      .modifiedCount;
  }
  return changed;
}

/**
 * The UUID of the collection, which all servers of a replica set give under all of their names.
 *
 * @throws RefusedError if the database has no such collection; if this program may make it, DatabaseError
 */
export async function identityOf(
  database: Db,
  { collection }: Kept,
  mayMake: boolean,
): Promise<string | undefined> {
  const found = await find(database, collection);
  if (!found) {
    if (mayMake) throw new DatabaseError("the collection went while it was set up");
    throw new RefusedError(
      `The database ${database.databaseName} has no collection ${collection.collectionName}; correct the URL.`,
    );
  }
  return found.info?.uuid?.toString();
}

async function find(database: Db, { collectionName }: Collection<KeptDocument>) {
  const [collection] = await database.listCollections<CollectionInfo>({ name: collectionName }).toArray();
  return collection;
}

/** All that makes an index serve its purpose; alike for indexes of any name. */
function shapeOf({ key, unique, partialFilterExpression }: IndexDescription): string {
  return JSON.stringify({ key, unique: unique === true, partialFilterExpression });
}
