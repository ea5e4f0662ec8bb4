import { isDeepStrictEqual } from "node:util";
import type { Collection, CollectionInfo, Db, IndexDescription } from "mongodb";
import type { StorageLog } from "../../storages/storage-adapter.js";
import { PET_SCHEMA, type PetDocument } from "./documents.js";
import { RefusedError } from "./errors.js";

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
  if (missing.length > 0) await pets.createIndexes(missing);
  const [wanted, found] = [{ $jsonSchema: PET_SCHEMA }, collection?.options?.validator];
  // One kind of server ignores a validator that a collection is made with.
  if (!found) await database.command({ collMod: pets.collectionName, validator: wanted });
  else if (!isDeepStrictEqual(found, wanted)) {
    log.warn("the collection pets has another validator than this program's, and keeps it");
  }
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
