import { setTimeout as sleep } from "node:timers/promises";
import { type Collection, type Document, MongoBulkWriteError } from "mongodb";
import { differingMember } from "../../application/copying/difference.js";
import { type ArchivedPet, PetConflict } from "../../application/ports/pet-archive.js";
import {
  fromKeyDocument,
  type Pets,
  READ_WHOLE,
  toArchived,
  toDocument,
  toKeyDocument,
} from "./documents.js";
import { CODE, DatabaseError, isDeadlock, RefusedError } from "./errors.js";
import { changeClaim } from "./insert-pet.js";
import { readExactly } from "./reading.js";

/** How often to send a batch that meets itself, sent twice at once, or a document that cannot be read yet. */
const ATTEMPTS = 5;

/**
 * Stores pets under the ids that they have, by one command, once another one has claimed their keys. Reads and compares
 * those that are there already.
 *
 * @throws PetConflict, RefusedError
 */
export async function storePets(pets: Pets, archived: readonly ArchivedPet[]): Promise<void> {
  // The ids rise before the first pet is stored, so that no create gives the id of one of these pets.
  await pets.ids.raise(archived.at(-1)?.pet.id ?? 0n);
  for (let attempt = 1; ; attempt++) {
    try {
      await claimKeys(pets, archived);
      return await expectSame(pets, await insertMissing(pets.collection, archived, toDocument));
    } catch (error) {
      const mayPass = isDeadlock(error) || error instanceof DatabaseError;
      if (!mayPass || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}

/** Resolves to the pets whose documents were not inserted, since others have their id. */
async function insertMissing<Kind extends Document>(
  collection: Collection<Kind>,
  archived: readonly ArchivedPet[],
  toOne: (archived: ArchivedPet) => Kind,
): Promise<readonly ArchivedPet[]> {
  if (archived.length === 0) return [];
  try {
    await collection.insertMany(archived.map(toOne) as never, { ordered: false });
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

/** Claims the keys of pets. A claim whose pet was never stored gives way. */
async function claimKeys(pets: Pets, archived: readonly ArchivedPet[]): Promise<void> {
  const batch = archived.filter(({ record }) => record);
  if (batch.length === 0) return;
  const earlier = (await find(pets.keys, batch.map(keyOf))).map(fromKeyDocument);
  const claims = new Map(earlier.map((one) => [keyOf(one), one]));
  const missing = batch.filter((one) => !claims.has(keyOf(one)));
  if ((await insertMissing(pets.keys, missing, toKeyDocument)).length > 0)
    throw new DatabaseError("the document of an idempotency key cannot be read yet");
  const others = batch.filter((one) => claims.has(keyOf(one)) && !isSame(claims.get(keyOf(one)), one));
  if (others.length === 0) return;
  const ids = earlier.map(({ pet }) => pet.id);
  const storedKeys = new Set((await find(pets.collection, ids)).map(({ idempotency }) => idempotency?.key));
  for (const one of others) {
    const claim = claims.get(keyOf(one)) as ArchivedPet;
    const isOfThese = batch.some((other) => other !== one && isSame(claim, other));
    if (isOfThese || storedKeys.has(keyOf(one))) throw new PetConflict(one.pet.id);
    if (!isSame(await changeClaim(pets, claim, one), one)) throw new PetConflict(one.pet.id);
  }
}

function find<Kind extends Document>(all: Collection<Kind>, ids: readonly unknown[]) {
  return readExactly(all.find({ _id: { $in: ids } } as never, { ...READ_WHOLE, batchSize: 1 + ids.length }));
}

const keyOf = ({ record }: ArchivedPet) => record?.key;

function isSame(one: ArchivedPet | undefined, other: ArchivedPet): boolean {
  return one !== undefined && one.pet.id === other.pet.id && !differingMember(one, other);
}

async function expectSame({ collection }: Pets, archived: readonly ArchivedPet[]): Promise<void> {
  if (archived.length === 0) return;
  const ids = archived.map(({ pet }) => pet.id);
  const byId = new Map((await find(collection, ids)).map(toArchived).map((one) => [one.pet.id, one]));
  for (const one of archived) {
    const there = byId.get(one.pet.id);
    if (!there) throw new DatabaseError("a document in the way of a pet cannot be read yet");
    if (differingMember(there, one)) throw new PetConflict(one.pet.id);
  }
}
