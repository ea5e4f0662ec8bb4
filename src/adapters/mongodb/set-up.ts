import { isDeepStrictEqual } from "node:util";
import { BSON, type Collection, type Db, type Document, type IndexDescriptionInfo } from "mongodb";
import type { StorageLog } from "../../application/ports/storage-adapter.js";
import { PET_SCHEMA, type PetDocument } from "./documents.js";
import { CODE, DatabaseError, hasCode } from "./errors.js";

interface IndexShape {
  readonly name: string;
  readonly key: Record<string, 1>;
  readonly unique?: true;
  readonly partialFilterExpression?: Document;
}

/** The name that the index on `_id` always has. */
const BY_ID = "_id_";

/** Serves lists by status, each as one range in order of id. */
const BY_STATUS: IndexShape = { name: "pets_by_status", key: { status: 1, _id: 1 } };

/** Prevents a second pet under an idempotency key. */
const BY_IDEMPOTENCY_KEY: IndexShape = {
  name: "pets_by_idempotency_key",
  key: { "idempotency.key": 1 },
  unique: true,
  partialFilterExpression: { "idempotency.key": { $exists: true } },
};

/** The abilities that the indexes give. */
export interface Indexes {
  /**
   * The name of the index that a list by status asks for, so that no plan sorts documents that it could read in order.
   */
  readonly byStatus: string;
  /** Whether the database refuses a second pet under an idempotency key; a sharded collection cannot. */
  readonly uniqueKeys: boolean;
}

interface MadeIndex {
  /** The index; undefined if the database cannot make it. */
  readonly name: string | undefined;
  /** Indexes with its name or its key, and another shape. They are reported, and left alone. */
  readonly similar: readonly IndexDescriptionInfo[];
}

/**
 * Makes the indexes and the validator if they are missing; any number of processes may do so at once. If all
 * are there, only reads, so that a user without the right to change them is enough. Never drops anything.
 *
 * @throws DatabaseError if the database cannot keep idempotency keys unique.
 */
export async function setUp(database: Db, pets: Collection<PetDocument>, log: StorageLog): Promise<Indexes> {
  const existing = await indexesOf(pets);
  const byStatus = await makeIndex(BY_STATUS, pets, existing);
  const byKey = await makeIndex(BY_IDEMPOTENCY_KEY, pets, existing).catch((error) => {
    // `pets` is sharded, and allows a unique index only on the shard key.
    if (hasCode(error, CODE.CannotCreateIndex)) return undefined;
    throw error;
  });
  if (byKey && !byKey.name) {
    const names = byKey.similar.map(({ name }) => name).join(", ");
    throw new DatabaseError(
      `an index of pets is in the way of a unique one on idempotency.key; drop ${names}`,
    );
  }
  await setValidator(database, pets.collectionName);
  for (const { name, key, unique } of [...byStatus.similar, ...(byKey?.similar ?? [])]) {
    log.warn(
      { index: { name, key, unique } },
      "an index of pets has another shape than it should; left alone",
    );
  }
  if (!byStatus.name)
    log.error(
      { wanted: BY_STATUS },
      "lists by status lack their index and slow down as pets grow; drop the one in its way",
    );
  return {
    byStatus: await indexInOrder(byStatus.name, database, pets.collectionName),
    uniqueKeys: byKey !== undefined,
  };
}

async function indexesOf(pets: Collection<PetDocument>): Promise<IndexDescriptionInfo[]> {
  try {
    return await pets.listIndexes().toArray();
  } catch (error) {
    if (hasCode(error, CODE.NamespaceNotFound)) return [];
    throw error;
  }
}

async function makeIndex(
  wanted: IndexShape,
  pets: Collection<PetDocument>,
  existing: readonly IndexDescriptionInfo[],
): Promise<MadeIndex> {
  const serving = existing.find((index) => hasShape(index, wanted));
  if (serving) return { name: serving.name, similar: [] };
  const { key, ...options } = wanted;
  const similar = existing.filter((index) => index.name === wanted.name || sameKey(index.key, key));
  try {
    return { name: await pets.createIndex(key, options), similar };
  } catch (error) {
    if (!hasCode(error, CODE.IndexOptionsConflict) && !hasCode(error, CODE.IndexKeySpecsConflict))
      throw error;
    return { name: undefined, similar };
  }
}

/**
 * The index of lists by status, if it is there and the server reads it in order. MongoDB does so, and a page then costs
 * the same in any collection. DocumentDB's engine, as behind FerretDB 2.7, reads and sorts all documents that match;
 * the index on `_id` is better there: unless the status is rare, its cost does not depend on the collection, either.
 */
async function indexInOrder(byStatus: string | undefined, database: Db, collection: string): Promise<string> {
  if (!byStatus) return BY_ID;
  // Without the read concern of other reads, which not every version accepts in an explain.
  const pets = database.collection<PetDocument>(collection);
  const list = pets.find(
    { status: "available", _id: { $gt: 0n } },
    { sort: { _id: 1 }, limit: 1, hint: byStatus },
  );
  const plan = await list.explain("queryPlanner");
  return /"(SORT|Sort)"/.test(BSON.EJSON.stringify(plan)) ? BY_ID : byStatus;
}

function hasShape(
  index: IndexDescriptionInfo,
  { key, unique, partialFilterExpression }: IndexShape,
): boolean {
  const { sparse, hidden, collation, expireAfterSeconds } = index;
  return (
    sameKey(index.key, key) &&
    Boolean(index.unique) === Boolean(unique) &&
    isDeepStrictEqual(index.partialFilterExpression, partialFilterExpression) &&
    !sparse &&
    !hidden &&
    !collation &&
    expireAfterSeconds === undefined
  );
}

/** Whether two index keys have the same fields in the same order and direction. */
function sameKey(one: Document, other: Document): boolean {
  const fields = (key: Document) => Object.entries(key).map(([field, direction]) => `${field} ${direction}`);
  return isDeepStrictEqual(fields(one), fields(other));
}

async function setValidator(database: Db, collection: string): Promise<void> {
  const validator = { $jsonSchema: PET_SCHEMA };
  const [description] = await database.listCollections({ name: collection }).toArray();
  const options = description && "options" in description ? description.options : undefined;
  if (isDeepStrictEqual(options?.validator, validator)) return;
  await database.command({ collMod: collection, validator });
}
