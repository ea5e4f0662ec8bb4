import type { CollectionInfo, Db } from "mongodb";
import type { StorageContext } from "../../application/storage-adapter.js";
import { PET_STATUSES } from "../../domain/pet.js";
import { ignore, PermanentError } from "./mongodb-errors.js";

/** Serves lists by status, each as one range in order of id. */
const INDEX = { name: "pets_by_status", key: { status: 1, _id: 1 } } as const;

const TEXT = { bsonType: "string" };

/** Rejects malformed documents of other programs. */
const VALIDATOR = {
  $jsonSchema: {
    bsonType: "object",
    required: ["_id", "name", "categoryId", "status"],
    properties: {
      _id: { bsonType: ["int", "long"], minimum: 1 },
      name: { bsonType: "string", minLength: 1, maxLength: 255 },
      categoryId: { bsonType: ["int", "long"] },
      status: { enum: [...PET_STATUSES] },
      idempotency: {
        bsonType: "object",
        required: ["key", "fingerprint"],
        properties: { key: TEXT, fingerprint: TEXT },
      },
    },
  },
};

/**
 * Creates missing parts; any number of processes may do so at once. Never drops or replaces anything. If
 * nothing is missing it only reads, so that the user needs no further privilege.
 *
 * @throws PermanentError if the database is missing and `mayMake` is false, or if petstore 2.0.0 created it
 */
export async function setUp(db: Db, { mayMake }: StorageContext): Promise<void> {
  const [collection] = await db.listCollections<CollectionInfo>({ name: "pets" }).toArray();
  if (!collection && !mayMake)
    throw new PermanentError(`The database ${db.databaseName} has no collection pets; check the URL.`);
  const pets = db.collection("pets");
  const indexes = collection ? await pets.listIndexes().toArray() : [];
  const indexOn = (key: object) => indexes.find((index) => JSON.stringify(index.key) === JSON.stringify(key));
  const old = indexOn({ "idempotency.key": 1 });
  if (old?.unique)
    throw new PermanentError(
      `The database ${db.databaseName} still has the unique index ${old.name} of petstore 2.0.0. ` +
        `Drop it by db.pets.dropIndex("${old.name}") in mongosh, then start again.`,
    );
  if (!mayMake) return;

  if (!collection) await db.createCollection("pets", { validator: VALIDATOR }).catch(ignore("exists"));
  if (!indexOn(INDEX.key)) await pets.createIndexes([INDEX]);
  // FerretDB ignores the validator of createCollection. The role readWrite may not change a validator.
  if (!collection?.options?.validator)
    await db.command({ collMod: "pets", validator: VALIDATOR }).catch(ignore("unauthorized"));
}
