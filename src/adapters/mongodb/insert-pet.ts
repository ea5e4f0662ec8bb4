import { setTimeout as sleep } from "node:timers/promises";
import { type Collection, type Document, ObjectId } from "mongodb";
import type { Creation, IdempotencyRecord } from "../../application/ports/pet-repository.js";
import type { NewPet } from "../../domain/pet.js";
import { type PetDocument, type Pets, READ_ARCHIVED, toDocument, toPet } from "./documents.js";
import { CODE, DatabaseError, hasCode, isDeadlock } from "./errors.js";
import { readExactly } from "./reading.js";

/** How often to try an insert that meets another pet: the driver repeats only those that get no answer. */
const ATTEMPTS = 6;

/** Half the longest pause before the second try, in milliseconds. It doubles with each further one. */
const PAUSE = 10;

/** No pet has it. */
const NO_ID = 0n;

const READ_IN_THE_WAY = {
  ...READ_ARCHIVED,
  projection: { ...READ_ARCHIVED.projection, creation: 1 },
} as const;

/** Stores a pet under the next id, or answers the pet that an earlier create has stored under the record's key. */
export async function insertPet(
  { collection: pets, ids }: Pets,
  newPet: NewPet,
  record: IdempotencyRecord | undefined,
): Promise<Creation> {
  const creation = new ObjectId();
  let id: bigint | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    id ??= await ids.take();
    if (id === undefined && !record) break;
    const pet = { id: id ?? NO_ID, ...newPet };
    const stored = id !== undefined && (await insert(pets, { ...toDocument({ pet, record }), creation }));
    if (stored) return { pet, earlierFingerprint: undefined };
    const inTheWay = await findInTheWay(pets, pet.id, record?.key);
    // The driver has sent the insert twice, and the server has not noticed.
    if (inTheWay.some((other) => creation.equals(other.creation)))
      return { pet, earlierFingerprint: undefined };
    const earlier = record && inTheWay.find(({ idempotency }) => idempotency?.key === record.key);
    if (earlier) return replayOf(earlier);
    if (inTheWay.length > 0) {
      ids.collided(pet.id);
      id = undefined;
    }
    // Another id may do; or the document in the way can be read only once a majority has it.
    await sleep(Math.random() * PAUSE * 2 ** attempt);
  }
  throw new DatabaseError(
    id === undefined
      ? "no id is left below 2^53, or other documents have been in the way of a pet again and again"
      : "a pet cannot be stored: another unique index of the collection pets may be in its way; drop that index",
  );
}

/** Whether the pet is stored; false if its id or its key is there already. */
async function insert(pets: Collection<PetDocument>, document: PetDocument): Promise<boolean> {
  try {
    await pets.insertOne(document);
    return true;
  } catch (error) {
    if (hasCode(error, CODE.DuplicateKey) || isDeadlock(error)) return false;
    throw error;
  }
}

/** The documents that have the id or the key. */
function findInTheWay(
  pets: Collection<PetDocument>,
  id: bigint,
  key: string | undefined,
): Promise<Document[]> {
  const filter = key === undefined ? { _id: id } : { $or: [{ _id: id }, { "idempotency.key": key }] };
  return readExactly(pets.find(filter, READ_IN_THE_WAY));
}

/** The pet that an earlier create stored under the key. */
function replayOf(earlier: Document): Creation {
  const pet = toPet(earlier);
  if (!pet) throw new DatabaseError(`the pet under this idempotency key is malformed, _id ${earlier._id}`);
  return { pet, earlierFingerprint: String(earlier.idempotency.fingerprint) };
}
