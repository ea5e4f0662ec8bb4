import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Collection, CollectionInfo, Db, Document, IndexDescription } from "mongodb";
import type { StorageLog } from "../../application/ports/storage.js";
import type { KeyDocument } from "./documents.js";
import { CODE, hasCode } from "./errors.js";
import type { Ids } from "./ids.js";
import type { KeptDocument } from "./reading.js";

/** A collection that keeps a resource, and all that it must have. */
export interface Kept {
  readonly collection: Collection<KeptDocument>;
  /** The idempotency keys of its documents. */
  readonly keys: Collection<KeyDocument>;
  readonly ids: Ids;
  readonly indexes: readonly IndexDescription[];
  /** The rule for its documents, as MongoDB's `$jsonSchema`. It binds other writers. */
  readonly schema: Document;
}

/** How often to begin again, and how long to wait before, in milliseconds. */
const AGAIN = { times: 5, pause: 50 };

/**
 * Makes collections, indexes and validator if they are missing; any number of processes may do so at once. If all
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

async function setUpOnce(database: Db, kept: Kept, log: StorageLog): Promise<void> {
  const { collection, keys, ids, indexes, schema } = kept;
  const name = collection.collectionName;
  const there = await collectionsOf(database, [kept]);
  for (const wanted of [name, keys.collectionName]) {
    if (there.has(wanted)) continue;
    await database.createCollection(wanted).catch((error) => {
      if (!hasCode(error, CODE.NamespaceExists)) throw error;
    });
  }
  const existing = (await collection.listIndexes().toArray()).map(shapeOf);
  const missing = indexes.filter((index) => !existing.includes(shapeOf(index)));
  if (missing.length > 0) await collection.createIndexes(missing);
  await ids.seed();
  const [wanted, found] = [{ $jsonSchema: schema }, there.get(name)?.options?.validator];
  // One kind of server ignores a validator that a collection is made with.
  if (!found) await database.command({ collMod: name, validator: wanted });
  else if (!isDeepStrictEqual(found, wanted))
    log.warn(`the collection ${name} has another validator than this program's, and keeps it`);
}

/** The collections of these that the database has, by their names. One command, which writes nothing. */
export async function collectionsOf(
  database: Db,
  all: readonly Kept[],
): Promise<Map<string, CollectionInfo>> {
  const names = all.flatMap(({ collection, keys }) => [collection.collectionName, keys.collectionName]);
  const found = database.listCollections<CollectionInfo>({ name: { $in: names } });
  return new Map((await found.toArray()).map((info) => [info.name, info]));
}

/** All that makes an index serve its purpose; alike for indexes of any name. */
function shapeOf({ key, unique, partialFilterExpression }: IndexDescription): string {
  return JSON.stringify({ key, unique: unique === true, partialFilterExpression });
}
