import { setTimeout as sleep } from "node:timers/promises";
import type { Collection, Document } from "mongodb";
import type { Creation, IdempotencyRecord } from "../../application/ports/pet-repository.js";
import { type Database, DEADLINE } from "./connection.js";
import {
  type PetDocument,
  READ,
  READ_ARCHIVED,
  readExactly,
  toPet,
  type UnnumberedPetDocument,
} from "./documents.js";
import { CODE, DatabaseError, hasCode, isTransient, NoIdLeftError, NotReadableYetError } from "./errors.js";
import { idOfKey } from "./pet-ids.js";

/** How often to try an insert. */
const ATTEMPTS = 8;

/** The longest pause between two tries, in milliseconds; the first is a fraction of it. */
const LONGEST_PAUSE = 500;

const READ_EARLIER = {
  ...READ,
  projection: { ...READ_ARCHIVED.projection, creation: 1 },
} as const;

/**
 * Stores a pet, and tries again if that may help: always the same document under the same `_id`, so that it
 * is stored at most once, even if the answer to an earlier try was lost.
 */
export async function insertPet(
  { pets, ids, indexes }: Database,
  document: UnnumberedPetDocument,
): Promise<Creation> {
  const deadline = performance.now() + DEADLINE;
  const keyed = indexes.uniqueKeys ? undefined : document.idempotency;
  let collisions = 0;
  let id: bigint | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      id ??= keyed ? idOfKey(keyed.key, collisions) : await ids.take();
      const creation = await insertOrFind(pets, { _id: id, ...document }, indexes.uniqueKeys);
      if (creation) return creation;
      ids.collided(id);
      id = undefined;
      collisions++;
    } catch (error) {
      const earlier = error instanceof NoIdLeftError && (await findEarlier(pets, document.idempotency));
      if (earlier) return earlier;
      if (!isTransient(error) || performance.now() > deadline) throw error;
      await sleep(Math.random() * Math.min(LONGEST_PAUSE, 10 * 2 ** attempt));
    }
    if (attempt === ATTEMPTS) throw new DatabaseError(`a pet could not be stored in ${ATTEMPTS} attempts`);
  }
}

/** Undefined if another pet has the `_id`. */
async function insertOrFind(
  pets: Collection<PetDocument>,
  document: PetDocument & UnnumberedPetDocument,
  uniqueKeys: boolean,
): Promise<Creation | undefined> {
  try {
    await pets.insertOne(document);
    return { pet: petOf(document), replayed: undefined };
  } catch (error) {
    if (!hasCode(error, CODE.DuplicateKey)) throw error;
  }
  // Three documents may be in the way: this one, from an earlier try; the pet of an earlier create; or another pet.
  const { _id, creation, idempotency } = document;
  const sameKey = uniqueKeys && idempotency && { "idempotency.key": idempotency.key };
  const filter = sameKey ? { $or: [{ _id }, sameKey] } : { _id };
  const found = await readExactly(pets.find(filter, READ_EARLIER));
  if (found.some((other) => creation.equals(other.creation))) {
    return { pet: petOf(document), replayed: undefined };
  }
  const earlier = idempotency && found.find((other) => other.idempotency?.key === idempotency.key);
  if (earlier) return replayOf(earlier);
  if (found.length > 0) return undefined;
  throw new NotReadableYetError("the document in the way of this pet cannot be read yet");
}

/** The pet that an earlier create stored under the key. */
async function findEarlier(
  pets: Collection<PetDocument>,
  record: IdempotencyRecord | undefined,
): Promise<Creation | undefined> {
  if (!record) return undefined;
  const [earlier] = await readExactly(pets.find({ "idempotency.key": record.key }, READ_ARCHIVED));
  return earlier && replayOf(earlier);
}

function replayOf(earlier: Document): Creation {
  const pet = toPet(earlier);
  if (!pet) throw new DatabaseError(`the pet under this idempotency key is malformed, _id ${earlier._id}`);
  return { pet, replayed: String(earlier.idempotency.fingerprint) };
}

function petOf({ _id, name, categoryId, status }: PetDocument): Creation["pet"] {
  return { id: _id, name, categoryId, status };
}
