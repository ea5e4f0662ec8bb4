import { setTimeout as sleep } from "node:timers/promises";
import { MongoBulkWriteError } from "mongodb";
import { differingMember } from "../../../application/copying/difference.js";
import { type ArchivedPet, PetConflict, SEQUENCE_END } from "../../../application/ports/pet-archive.js";
import { type Database, DEADLINE } from "../connection.js";
import { fromArchived, READ_ARCHIVED, readExactly, toArchived } from "../documents.js";
import { CODE, isTransient, NotReadableYetError, RefusedError } from "../errors.js";
import { isIdOfKey } from "../pet-ids.js";

/** How often to send a batch at most. */
const ATTEMPTS = 6;

/** The longest pause between two tries, in milliseconds. */
const LONGEST_PAUSE = 300;

/**
 * Stores pets under the ids that they have, by one command. Reads and compares those that are there already.
 *
 * @throws PetConflict, RefusedError
 */
export async function storePets(database: Database, pets: readonly ArchivedPet[]): Promise<void> {
  if (!database.indexes.uniqueKeys) refuseUnfindable(pets);
  // The ids rise before the first pet is stored, so that no create gives the id of one of these pets.
  const given = pets.reduce(
    (highest, { pet: { id } }) => (id < SEQUENCE_END && id > highest ? id : highest),
    0n,
  );
  if (given > 0n) await database.ids.raise(given);
  const deadline = performance.now() + DEADLINE;
  let missing = pets;
  for (let attempt = 1; ; attempt++) {
    try {
      missing = await insertMissing(database, missing);
      await expectSame(database, missing);
      return;
    } catch (error) {
      if (!isTransient(error) || attempt === ATTEMPTS || performance.now() > deadline) throw error;
      await sleep(Math.random() * Math.min(LONGEST_PAUSE, 10 * 2 ** attempt));
    }
  }
}

/** Resolves to the pets that were not inserted, since other documents have their id or their key. */
async function insertMissing(
  { pets }: Database,
  archived: readonly ArchivedPet[],
): Promise<readonly ArchivedPet[]> {
  if (archived.length === 0) return [];
  try {
    await pets.insertMany(archived.map(fromArchived), { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
    const faults = [error.writeErrors].flat();
    // The driver wraps errors of connections in the same class, and then names no document.
    if (faults.length === 0) throw error.errorResponse instanceof Error ? error.errorResponse : error;
    for (const { code, index } of faults) {
      if (code === CODE.DuplicateKey) continue;
      if (code !== CODE.DocumentValidationFailure && code !== CODE.DocumentDbValidationFailure) throw error;
      const id = archived[index]?.pet.id;
      throw new RefusedError(`The validator of pets refuses pet ${id}: give the collection a wider one.`);
    }
    return faults.map(({ index }) => archived[index] as ArchivedPet);
  }
}

async function expectSame({ pets }: Database, archived: readonly ArchivedPet[]): Promise<void> {
  if (archived.length === 0) return;
  const ids = archived.map(({ pet }) => pet.id);
  const keys = archived.flatMap(({ record }) => (record ? [record.key] : []));
  const sameKey = keys.length > 0 ? [{ "idempotency.key": { $in: keys } }] : [];
  const filter = { $or: [{ _id: { $in: ids } }, ...sameKey] };
  const documents = await readExactly(
    pets.find(filter, { ...READ_ARCHIVED, batchSize: 1 + ids.length + keys.length }),
  );
  const stored = new Map<bigint, ArchivedPet>();
  const holders = new Map<string, bigint>();
  for (const document of documents) {
    const found = toArchived(document);
    stored.set(found.pet.id, found);
    if (found.record) holders.set(found.record.key, found.pet.id);
  }
  for (const one of archived) {
    const { pet, record } = one;
    const found = stored.get(pet.id);
    const holder = record && holders.get(record.key);
    if (!found && holder === undefined)
      throw new NotReadableYetError("a document in the way of a pet cannot be read yet");
    if (!found || differingMember(found, one)) throw new PetConflict(pet.id);
  }
}

/** If the collection cannot keep keys unique, a create finds a key only under the id derived from it. */
function refuseUnfindable(pets: readonly ArchivedPet[]): void {
  const lost = pets.find(({ pet, record }) => record && !isIdOfKey(pet.id, record.key));
  if (!lost) return;
  throw new RefusedError(
    `pets is sharded, and would not find the idempotency key of pet ${lost.pet.id} again: copy into a collection ` +
      "that is not sharded.",
  );
}
