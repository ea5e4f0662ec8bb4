import { ObjectId } from "mongodb";
import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import type { ArchivedPet } from "../../application/ports/pet-archive.js";
import type { Creation } from "../../application/ports/pet-repository.js";
import type { NewPet } from "../../domain/pet.js";
import { type Claim, READ, toClaim, toDocument, toKeyDocument } from "./documents.js";
import type { PetStore } from "./ids.js";
import { isStored, retry } from "./mongodb-errors.js";

/**
 * Stores a pet. With a record, first claims the key with all that a repeat needs to store the pet; if an earlier create has
 * claimed it, stores the pet of that one, unless it is there.
 */
export async function createPet(
  { pets, keys, ids }: PetStore,
  newPet: NewPet,
  record?: IdempotencyRecord,
): Promise<Creation> {
  const creation = new ObjectId();
  const own = { id: await ids.take(), ...newPet };
  let claim: ArchivedPet = record ? await claimKey(keys, { pet: own, record }) : { pet: own, record };
  const earlierFingerprint = claim.pet.id === own.id ? undefined : claim.record?.fingerprint;
  return retry(async () => {
    const { pet } = claim;
    if (await isStored(pets.insertOne({ ...toDocument(claim), creation })))
      return { pet, earlierFingerprint };
    const existing = await pets.findOne({ _id: pet.id }, READ);
    if (!existing) return undefined;
    const isIt = record ? existing.idempotency?.key === record.key : creation.equals(existing.creation);
    if (isIt) return { pet, earlierFingerprint };

    // The pet of another program has the id. If another process moves the claim first, that counts.
    ids.collided(pet.id);
    const id = await ids.take();
    if (!record) claim = { pet: { ...pet, id }, record };
    else {
      await keys.updateOne({ _id: record.key, "pet._id": pet.id }, { $set: { "pet._id": id } });
      claim = (await readClaim(keys, record.key)) ?? claim;
    }
    return undefined;
  });
}

/** Resolves to what has the key then: this claim, or an earlier one. */
function claimKey(keys: PetStore["keys"], own: Claim): Promise<Claim> {
  return retry(async () => {
    const isNew = await isStored(keys.insertOne(toKeyDocument(own)));
    return isNew ? own : readClaim(keys, own.record.key);
  });
}

async function readClaim(keys: PetStore["keys"], _id: string): Promise<Claim | undefined> {
  const document = await keys.findOne({ _id }, READ);
  return document ? toClaim(document) : undefined;
}
