import { isDeepStrictEqual } from "node:util";
import type { Collection, CollectionInfo, Db, IndexDescription } from "mongodb";
import type { StorageLog } from "../../storages/storage-adapter.js";
import { PET_SCHEMA, type PetDocument } from "./documents.js";
import { isDuplicateInIndex, RefusedError } from "./errors.js";

/** The first serves lists by status, each as one range in order of id; the second prevents a second pet under a key. */
const INDEXES: readonly IndexDescription[] = [
  { name: "pets_by_status", key: { status: 1, _id: 1 } },
  {
    name: "pets_by_idempotency_key",
    key: { "idempotency.key": 1 },
    unique: true,
    partialFilterExpression: { "idempotency.key": { $exists: true } },
  },
];

/**
 * Makes the indexes and the validator if they are missing; any number of processes may do so at once. If all
 * are there, only reads, so that a user without the right to change them is enough. Never drops or replaces anything.
 *
 * @throws MongoServerError that names the index, if one with another shape is in the way.
 */
export async function setUp(database: Db, pets: Collection<PetDocument>, log: StorageLog): Promise<void> {
  const collection = await find(database, pets);
  const existing = collection ? (await pets.listIndexes().toArray()).map(shapeOf) : [];
  const missing = INDEXES.filter((index) => !existing.includes(shapeOf(index)));
  if (missing.length > 0) await makeIndexes(pets, missing, log);
  const [wanted, found] = [{ $jsonSchema: PET_SCHEMA }, collection?.options?.validator];
  // One kind of server ignores a validator that a collection is made with.
  if (!found) await database.command({ collMod: pets.collectionName, validator: wanted });
  else if (!isDeepStrictEqual(found, wanted) && !told.has(log)) {
    told.add(log);
    log.warn("the collection pets has another validator than this program's, and keeps it");
  }
}

/** The logs that have the line about the validator. */
const told = new WeakSet<StorageLog>();

async function makeIndexes(
  pets: Collection<PetDocument>,
  missing: IndexDescription[],
  log: StorageLog,
): Promise<void> {
  try {
    await pets.createIndexes(missing);
  } catch (error) {
    if (!isDuplicateInIndex(error)) throw error;
    const changed = await keepFirstRecords(pets);
    log.warn(
      { pets: changed },
      "pets stored under a key that another pet has, without the index, lost their record",
    );
    await pets.createIndexes(missing);
  }
}

/** Lets only the first pet under an idempotency key keep its record, and gives the number of the others. */
async function keepFirstRecords(pets: Collection<PetDocument>): Promise<number> {
  const twice = pets.aggregate<{ _id: string; first: bigint }>(
    [
      { $match: { "idempotency.key": { $exists: true } } },
      { $group: { _id: "$idempotency.key", first: { $min: "$_id" }, count: { $sum: 1 } } },
      { $match: { count: { $gt: 1 } } },
    ],
    { allowDiskUse: true },
  );
  let changed = 0;
  for await (const { _id: key, first } of twice) {
    const others = { "idempotency.key": key, _id: { $ne: first } };
    changed += (await pets.updateMany(others, { $unset: { idempotency: "" } })).modifiedCount;
  }
  return changed;
}

/**
 * The UUID of the collection, which all servers of a replica set give under all of their names.
 *
 * @throws RefusedError if the database has no pets
 */
export async function identityOf(database: Db, pets: Collection<PetDocument>): Promise<string | undefined> {
  const collection = await find(database, pets);
  if (!collection) {
    throw new RefusedError(
      `The database ${database.databaseName} has no collection ${pets.collectionName}; correct the URL.`,
    );
  }
  return collection.info?.uuid?.toString();
}

async function find(database: Db, { collectionName }: Collection<PetDocument>) {
  const [collection] = await database.listCollections<CollectionInfo>({ name: collectionName }).toArray();
  return collection;
}

/** All that makes an index serve its purpose; alike for indexes of any name. */
function shapeOf({ key, unique, partialFilterExpression }: IndexDescription): string {
  return JSON.stringify({ key, unique: unique === true, partialFilterExpression });
}
