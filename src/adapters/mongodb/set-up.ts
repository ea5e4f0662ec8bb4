import { isDeepStrictEqual } from "node:util";
import type { Collection, Db, Document, IndexDescriptionInfo } from "mongodb";
import type { Logger } from "pino";
import { PET_SCHEMA, type PetDocument } from "./documents.js";
import { CODE, hasCode } from "./errors.js";

interface IndexShape {
  readonly name: string;
  readonly key: Record<string, 1>;
  readonly unique?: true;
  readonly partialFilterExpression?: Document;
}

/** Serves lists by status, each as one range in order of id. */
const BY_STATUS: IndexShape = { name: "pets_by_status", key: { status: 1, _id: 1 } };

/** Keeps a second pet from being stored under an idempotency key. */
const BY_IDEMPOTENCY_KEY: IndexShape = {
  name: "pets_by_idempotency_key",
  key: { "idempotency.key": 1 },
  unique: true,
  partialFilterExpression: { "idempotency.key": { $exists: true } },
};

/**
 * Makes the indexes and the validator where they are missing; any number of processes may do so at once. Where all
 * is there it only reads, so that a user without the right to change them will do. Nothing is ever dropped.
 *
 * @returns the name of the index that serves lists by status; undefined where one of another shape is in its way.
 * @throws Error where idempotency keys cannot be kept unique.
 */
export async function setUp(
  database: Db,
  pets: Collection<PetDocument>,
  log: Logger,
): Promise<string | undefined> {
  const existing = await indexesOf(pets);
  const byStatus = await indexLike(BY_STATUS, pets, existing, log);
  const byKey = await indexLike(BY_IDEMPOTENCY_KEY, pets, existing, log);
  if (!byKey) throw new Error("an index of pets is in the way of the unique one on idempotency.key; drop it");
  await setValidator(database, pets.collectionName);
  return byStatus;
}

async function indexesOf(pets: Collection<PetDocument>): Promise<IndexDescriptionInfo[]> {
  try {
    return await pets.listIndexes().toArray();
  } catch (error) {
    if (hasCode(error, CODE.NamespaceNotFound)) return [];
    throw error;
  }
}

/** The name of an index of this shape, which is made where there is none; undefined where another is in its way. */
async function indexLike(
  wanted: IndexShape,
  pets: Collection<PetDocument>,
  existing: readonly IndexDescriptionInfo[],
  log: Logger,
): Promise<string | undefined> {
  const serving = existing.find((index) => hasShape(index, wanted));
  if (serving) return serving.name;
  const similar = existing.filter(({ name, key }) => name === wanted.name || sameKey(key, wanted.key));
  for (const index of similar) {
    log.warn(
      { index, wanted },
      "an index of pets has another shape than this version makes; it is left alone",
    );
  }
  const { key, ...options } = wanted;
  try {
    return await pets.createIndex(key, options);
  } catch (error) {
    if (!hasCode(error, CODE.IndexOptionsConflict) && !hasCode(error, CODE.IndexKeySpecsConflict))
      throw error;
    log.error(
      { wanted },
      "an index of pets cannot be made: one of another shape is in its way; drop that one",
    );
    return undefined;
  }
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

/** Whether two index keys are the same fields in the same order and direction. */
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
