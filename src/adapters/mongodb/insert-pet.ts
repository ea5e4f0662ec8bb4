import { setTimeout as sleep } from "node:timers/promises";
import { type Collection, type Document, ObjectId } from "mongodb";
import type { Creation, IdempotencyRecord } from "../../application/ports/pet-repository.js";
import type { NewPet } from "../../domain/pet.js";
import {
  fromKeyDocument,
  type Pets,
  READ_WHOLE,
  type StoredPet,
  toDocument,
  toKeyDocument,
} from "./documents.js";
import { CODE, DatabaseError, hasCode, isDeadlock } from "./errors.js";
import { readExactly } from "./reading.js";

/** How often to try an insert that meets another document: the driver repeats only those that get no answer. */
const ATTEMPTS = 6;

/** Half the longest pause before the second try, in milliseconds. It doubles with each further one. */
const PAUSE = 10;

/**
 * Stores a pet under the next id, or answers the pet that an earlier create has stored or claimed under the record's key.
 * With a record it claims the key first, with the pet, so that whoever repeats the create can store that pet.
 */
export async function insertPet(pets: Pets, newPet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
  const { collection, ids } = pets;
  const creation = new ObjectId();
  const answer = (stored: StoredPet): Creation => {
    const isOwn = creation.equals(stored.creation);
    return { pet: stored.pet, earlierFingerprint: isOwn ? undefined : stored.record?.fingerprint };
  };
  const take = async () => ({ pet: { id: await ids.take(), ...newPet }, record, creation });
  let wanted: StoredPet = record ? await claim(pets.keys, record.key, take) : await take();
  let other: Document | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (await insert(collection, toDocument(wanted))) return answer(wanted);
    other = await findInTheWay(pets, wanted);
    if (!record && creation.equals(other?.creation)) return answer(wanted);
    if (record && other?.idempotency?.key === record.key) {
      const stored = fromKeyDocument({ ...other.idempotency, _id: record.key, pet: other });
      if (stored.pet.id !== wanted.pet.id) await changeClaim(pets, wanted, stored);
      return answer(stored);
    }
    if (other) {
      ids.collided(wanted.pet.id);
      const moved = { ...wanted, pet: { ...wanted.pet, id: await ids.take() } };
      wanted = record ? await changeClaim(pets, wanted, moved) : moved;
    }
    // Another id may do; or the document in the way can be read only once a majority has it.
    await pause(attempt);
  }
  throw new DatabaseError(
    other
      ? "other documents have been in the way of a pet again and again"
      : "a pet cannot be stored: another unique index of the collection pets may be in its way; drop that index",
  );
}

/** Claims a key for a pet, unless an earlier create has. Resolves to what has the key. */
async function claim(keys: Pets["keys"], key: string, take: () => Promise<StoredPet>): Promise<StoredPet> {
  // Without an id that is left, an earlier create may still have the key.
  const own = await take().catch(async (error) => (await readClaim(keys, key)) ?? Promise.reject(error));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (await insert(keys, toKeyDocument(own))) return own;
    const earlier = await readClaim(keys, key);
    if (earlier) return earlier;
    await pause(attempt);
  }
  throw new DatabaseError("the document of an idempotency key cannot be read yet");
}

/** Lets a claim hold another pet, unless somebody else has changed it first. Resolves to what it then holds. */
export async function changeClaim({ keys }: Pets, from: StoredPet, to: StoredPet): Promise<StoredPet> {
  const { _id, ...members } = toKeyDocument({ ...to, record: to.record ?? from.record });
  const unchanged = { _id, "pet._id": from.pet.id } as Document;
  const { matchedCount } = await keys.updateOne(unchanged, { $set: members });
  return matchedCount > 0 ? to : ((await readClaim(keys, _id)) ?? from);
}

async function readClaim(keys: Pets["keys"], key: string): Promise<StoredPet | undefined> {
  const [document] = await readExactly(keys.find({ _id: key }, READ_WHOLE));
  return document && fromKeyDocument(document);
}

/** Whether the document is stored; false if its id or its key is there already. */
async function insert<Kind extends Document>(collection: Collection<Kind>, document: Kind): Promise<boolean> {
  try {
    await collection.insertOne(document as never);
    return true;
  } catch (error) {
    if (hasCode(error, CODE.DuplicateKey) || isDeadlock(error)) return false;
    throw error;
  }
}

/** The document that has the id; or else, by the index of 2.0.0, the one that has the key. */
async function findInTheWay({ collection }: Pets, { pet, record }: StoredPet): Promise<Document | undefined> {
  const [byId] = await readExactly(collection.find({ _id: pet.id }, READ_WHOLE));
  if (byId || !record) return byId;
  const byKey = collection.find(
    { "idempotency.key": record.key },
    { ...READ_WHOLE, hint: { "idempotency.key": 1 } },
  );
  const [older] = await readExactly(byKey).catch((error) => {
    // There is no such index, and so nothing that it could keep out.
    if (hasCode(error, CODE.BadValue)) return [];
    throw error;
  });
  return older;
}

const pause = (attempt: number) => sleep(Math.random() * PAUSE * 2 ** attempt);
