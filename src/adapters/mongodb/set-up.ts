import { isDeepStrictEqual } from "node:util";
import type { CollectionInfo, Db } from "mongodb";
import type { StorageContext } from "../../application/storage-adapter.js";
import { PET_INDEX, PET_VALIDATOR as validator } from "./documents.js";
import { CODES, ignore, PermanentError } from "./mongodb-errors.js";

/**
 * Creates what is missing; any number of processes may do so at once. Never drops or replaces anything. If nothing is
 * missing it only reads, so that the user needs no further privilege.
 *
 * @throws PermanentError if the database is missing and `mayMake` is false, or if petstore 2.0.0 made it
 */
export async function setUp(db: Db, { log, mayMake }: StorageContext): Promise<void> {
  const [pets] = await db.listCollections<CollectionInfo>({ name: "pets" }).toArray();
  if (!pets && !mayMake)
    throw new PermanentError(`The database ${db.databaseName} has no collection pets; correct the URL.`);

  const indexes = pets ? await db.collection("pets").listIndexes().toArray() : [];
  const indexOn = (key: object) => indexes.find((index) => JSON.stringify(index.key) === JSON.stringify(key));
  const old = indexOn({ "idempotency.key": 1 });
  if (old?.unique)
    throw new PermanentError(
      `The database ${db.databaseName} still has the unique index ${old.name} of petstore 2.0.0. ` +
        `Drop it by db.pets.dropIndex("${old.name}") in mongosh, then start again.`,
    );
  if (!mayMake) return;

  if (!pets) await db.createCollection("pets", { validator }).catch(ignore(CODES.exists));
  if (!indexOn(PET_INDEX.key)) await db.collection("pets").createIndexes([PET_INDEX]);
  const existing = pets?.options?.validator;
  // FerretDB ignores the validator of createCollection. The role readWrite lacks the privilege to change one.
  if (!existing) await db.command({ collMod: "pets", validator }).catch(ignore(CODES.unauthorized));
  else if (!isDeepStrictEqual(existing, validator))
    log.warn("the collection pets has a different validator; left unchanged");
}
