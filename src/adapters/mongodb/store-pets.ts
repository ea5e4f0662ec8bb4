import { setTimeout as sleep } from "node:timers/promises";
import { MongoBulkWriteError } from "mongodb";
import { differingMember } from "../../application/copying/difference.js";
import { type ArchivedPet, PetConflict } from "../../application/ports/pet-archive.js";
import { type Pets, READ_ARCHIVED, toArchived, toDocument } from "./documents.js";
import { CODE, DatabaseError, isDeadlock, RefusedError } from "./errors.js";
import { readExactly } from "./reading.js";

/** How often to send a batch that meets itself, sent twice at once. */
const ATTEMPTS = 5;

/**
 * Stores pets under the ids that they have, by one command. Reads and compares those that are there already.
 *
 * @throws PetConflict, RefusedError
 */
export async function storePets(database: Pets, pets: readonly ArchivedPet[]): Promise<void> {
  // The ids rise before the first pet is stored, so that no create gives the id of one of these pets.
  await database.ids.raise(pets.at(-1)?.pet.id ?? 0n);
  for (let attempt = 1; ; attempt++) {
    try {
      return await expectSame(database, await insertMissing(database, pets));
    } catch (error) {
      if (!isDeadlock(error) || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}

/** Resolves to the pets that were not inserted, since other documents have their id or their key. */
async function insertMissing(
  { collection: pets }: Pets,
  archived: readonly ArchivedPet[],
): Promise<readonly ArchivedPet[]> {
  if (archived.length === 0) return [];
  try {
    await pets.insertMany(archived.map(toDocument), { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
    const faults = [error.writeErrors].flat();
    // The driver wraps errors of connections in the same class, and then names no document.
    if (faults.length === 0) throw error;
    for (const { code, index } of faults) {
      if (code === CODE.DuplicateKey) continue;
      if (code !== CODE.DocumentValidationFailure && code !== CODE.DocumentDbValidationFailure) throw error;
      const id = archived[index]?.pet.id;
      throw new RefusedError(`The validator of pets refuses pet ${id}: give the collection a wider one.`);
    }
    return faults.map(({ index }) => archived[index] as ArchivedPet);
  }
}

async function expectSame({ collection: pets }: Pets, archived: readonly ArchivedPet[]): Promise<void> {
  if (archived.length === 0) return;
  const ids = archived.map(({ pet }) => pet.id);
  const keys = archived.flatMap(({ record }) => (record ? [record.key] : []));
  const filter = { $or: [{ _id: { $in: ids } }, { "idempotency.key": { $in: keys } }] };
  const documents = await readExactly(
    pets.find(filter, { ...READ_ARCHIVED, batchSize: 1 + ids.length + keys.length }),
  );
  const found = documents.map(toArchived);
  const byId = new Map(found.map((one) => [one.pet.id, one]));
  const takenKeys = new Set(found.map(({ record }) => record?.key));
  for (const one of archived) {
    const there = byId.get(one.pet.id);
    if (!there && !(one.record && takenKeys.has(one.record.key)))
      throw new DatabaseError("a document in the way of a pet cannot be read yet");
    if (!there || differingMember(there, one)) throw new PetConflict(one.pet.id);
  }
}
