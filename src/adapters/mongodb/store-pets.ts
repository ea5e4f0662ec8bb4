import { isDeepStrictEqual } from "node:util";
import { type ArchivedPet, PetConflict } from "../../application/ports/pet-archive.js";
import { type Claim, READ, toArchived, toClaim, toDocument, toKeyDocument } from "./documents.js";
import type { PetStore } from "./ids.js";
import { CODES, hasCode, isStored, PermanentError, retry } from "./mongodb-errors.js";

/** Stores pets under their ids: one command claims their keys, another inserts them. @throws PetConflict */
export async function storePets(store: PetStore, archived: readonly ArchivedPet[]): Promise<void> {
  // Before the first insert, so that no create gives one of these ids.
  await store.ids.raise(archived.at(-1)?.pet.id ?? 0n);
  await retry(async () => {
    const missing = await findMissing(store, archived);
    if (missing.length === 0) return true;
    const claims = missing.filter((one): one is Claim => one.record !== undefined);
    if (claims.length > 0 && !(await claimKeys(store, claims))) return undefined;
    const inserted = store.pets.insertMany(missing.map(toDocument), { ordered: false });
    return (await isStored(inserted)) || undefined;
  }).catch((error) => {
    if (!hasCode(error, CODES.invalid)) throw error;
    throw new PermanentError(`The validator of the collection pets rejects a pet: ${error.message}`);
  });
}

/** The pets that are not stored yet. */
async function findMissing({ pets }: PetStore, archived: readonly ArchivedPet[]): Promise<ArchivedPet[]> {
  const ids = archived.map(({ pet }) => pet.id);
  const found = await pets.find({ _id: { $in: ids } }, { ...READ, batchSize: ids.length + 1 }).toArray();
  const stored = new Map(found.map(toArchived).map((one) => [one.pet.id, one]));
  return archived.filter((one) => {
    const existing = stored.get(one.pet.id);
    if (existing && !isSame(existing, one)) throw new PetConflict(one.pet.id);
    return !existing;
  });
}

/** Resolves to whether the keys are claimed for these pets. */
async function claimKeys({ pets, keys }: PetStore, wanted: readonly Claim[]): Promise<boolean> {
  if (await isStored(keys.insertMany(wanted.map(toKeyDocument), { ordered: false }))) return true;
  const filter = { _id: { $in: wanted.map(({ record }) => record.key) } };
  const found = await keys.find(filter, { ...READ, batchSize: wanted.length + 1 }).toArray();
  const claims = new Map(found.map(toClaim).map((claim) => [claim.record.key, claim]));
  const others = wanted.filter((one) => !isSame(claims.get(one.record.key), one));
  for (const one of others) {
    const claim = claims.get(one.record.key);
    if (!claim) continue;
    const { _id, ...members } = toKeyDocument(one);
    const stored = await pets.findOne({ _id: claim.pet.id, "idempotency.key": _id }, READ);
    if (stored || wanted.some((other) => isSame(claim, other))) throw new PetConflict(one.pet.id);
    // Orphaned: the create that claimed the key died before it stored its pet.
    await keys.updateOne({ _id, "pet._id": claim.pet.id }, { $set: members });
  }
  return others.length === 0;
}

function isSame(one: ArchivedPet | undefined, other: ArchivedPet): boolean {
  return one !== undefined && isDeepStrictEqual(toDocument(one), toDocument(other));
}
