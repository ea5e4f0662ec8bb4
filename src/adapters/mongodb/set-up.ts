import { isDeepStrictEqual } from "node:util";
import type { CollectionInfo, Db } from "mongodb";
import type { StorageContext } from "../../application/storage-adapter.js";
import type { Resource } from "./documents.js";
import { CODES, ignore, PermanentError } from "./mongodb-errors.js";

const ID = { bsonType: ["int", "long"], minimum: 1 };
const TEXT = { bsonType: "string" };
const RECORD = {
  bsonType: "object",
  required: ["key", "fingerprint"],
  properties: { key: TEXT, fingerprint: TEXT },
};

/**
 * Creates what is missing; any number of processes may do so at once. Never drops or replaces anything. If nothing is
 * missing it only reads, so that the user needs no further privilege.
 *
 * @throws PermanentError if the database is missing and `mayMake` is false, or if petstore 2.0.0 created it
 */
export async function setUp(
  db: Db,
  resources: readonly Resource[],
  { log, mayMake }: StorageContext,
): Promise<void> {
  const names = resources.map(({ name }) => name);
  const collections = await db.listCollections<CollectionInfo>({ name: { $in: names } }).toArray();
  if (collections.length === 0 && !mayMake)
    throw new PermanentError(
      `The database ${db.databaseName} has no collection ${names.join(" or ")}; check the URL.`,
    );

  for (const { name, index, schema } of resources) {
    const collection = collections.find((info) => info.name === name);
    const indexes = collection ? await db.collection(name).listIndexes().toArray() : [];
    const indexOn = (key: object) => indexes.find((info) => JSON.stringify(info.key) === JSON.stringify(key));
    const old = indexOn({ "idempotency.key": 1 });
    if (old?.unique)
      throw new PermanentError(
        `The database ${db.databaseName} still has the unique index ${old.name} of petstore 2.0.0. ` +
          `Drop it by db.${name}.dropIndex("${old.name}") in mongosh, then start again.`,
      );
    if (!mayMake) continue;

    const required = ["_id", ...schema.required];
    const properties = { _id: ID, ...schema.properties, idempotency: RECORD };
    const validator = { $jsonSchema: { bsonType: "object", required, properties } };
    if (!collection) await db.createCollection(name, { validator }).catch(ignore(CODES.exists));
    if (!indexOn(index.key)) await db.collection(name).createIndexes([index]);
    const existing = collection?.options?.validator;
    // FerretDB ignores the validator of createCollection. The role readWrite lacks the privilege to change one.
    if (!existing) await db.command({ collMod: name, validator }).catch(ignore(CODES.unauthorized));
    else if (!isDeepStrictEqual(existing, validator))
      log.warn(`the collection ${name} has a different validator; left unchanged`);
  }
}
