import { isDeepStrictEqual } from "node:util";
import type { Collection, CollectionInfo, Db, IndexDescription } from "mongodb";
import { PET_SCHEMA, type PetDocument } from "./documents.js";

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
 * are there, only reads, so that a user without the right to change them is enough. Never drops anything.
 *
 * @throws MongoServerError that names the index, if one with another shape is in the way.
 */
export async function setUp(database: Db, pets: Collection<PetDocument>): Promise<void> {
  const [collection] = await database
    .listCollections<CollectionInfo>({ name: pets.collectionName })
    .toArray();
  const existing = collection ? (await pets.listIndexes().toArray()).map(shapeOf) : [];
  const missing = INDEXES.filter((index) => !existing.includes(shapeOf(index)));
  if (missing.length > 0) await pets.createIndexes(missing);
  // One kind of server ignores a validator that a collection is made with.
  const validator = { $jsonSchema: PET_SCHEMA };
  if (isDeepStrictEqual(collection?.options?.validator, validator)) return;
  await database.command({ collMod: pets.collectionName, validator });
}

/** All that makes an index serve its purpose; alike for indexes of any name. */
function shapeOf({ key, unique, partialFilterExpression }: IndexDescription): string {
  return JSON.stringify({ key, unique: unique === true, partialFilterExpression });
}
