import type { Db, IndexDescription, Long, ObjectId } from "mongodb";
import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import type { ArchivedPet } from "../../application/ports/pet-archive.js";
import { PET_STATUSES, type Pet, type PetStatus } from "../../domain/pet.js";

/** The driver writes a bigint as int64 and reads that as a `Long`; it reads the int32 of another program as a number. */
type Integer = bigint | Long | number;

export interface PetDocument {
  readonly _id: Integer;
  readonly name: string;
  readonly categoryId: Integer;
  readonly status: PetStatus;
  /** By it a create recognises its own document, if the server has carried out the insert twice. */
  readonly creation?: ObjectId;
  readonly idempotency?: IdempotencyRecord;
}

/** Claims an idempotency key, with all that a repeat needs to store the pet. */
interface KeyDocument {
  /** The key: only the `_id` is unique on a sharded cluster. */
  readonly _id: string;
  readonly fingerprint: string;
  readonly pet: Omit<PetDocument, "creation" | "idempotency">;
}

export type Collections = ReturnType<typeof collectionsOf>;

export function collectionsOf(db: Db) {
  return {
    pets: db.collection<PetDocument>("pets"),
    keys: db.collection<KeyDocument>("pets_keys"),
    /** `next` is the first id of the next block. */
    counters: db.collection<{ readonly _id: string; readonly next: Integer }>("counters"),
  };
}

/** Options for every read: exact integers, and a time limit for the server, in milliseconds. */
export const READ = { promoteLongs: false, maxTimeMS: 2500 } as const;

/** Serves lists by status, each as one range in order of id. */
export const PET_INDEX = { name: "pets_by_status", key: { status: 1, _id: 1 } } satisfies IndexDescription;

/** Binds other programs. */
export const PET_VALIDATOR = {
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
        properties: { key: { bsonType: "string" }, fingerprint: { bsonType: "string" } },
      },
    },
  },
};

export function toBigInt(value: Integer): bigint {
  return typeof value === "object" ? value.toBigInt() : BigInt(value);
}

export function toPet({ _id, name, categoryId, status }: PetDocument): Pet {
  return { id: toBigInt(_id), name, categoryId: toBigInt(categoryId), status };
}

export function toArchived(document: PetDocument): ArchivedPet {
  return { pet: toPet(document), record: document.idempotency };
}

export function toDocument({ pet: { id, name, categoryId, status }, record }: ArchivedPet): PetDocument {
  const idempotency = record && { key: record.key, fingerprint: record.fingerprint };
  return { _id: id, name, categoryId, status, ...(idempotency && { idempotency }) };
}

/** A pet under an idempotency key. */
export type Claim = ArchivedPet & { readonly record: IdempotencyRecord };

export function toClaim({ _id, fingerprint, pet }: KeyDocument): Claim {
  return { pet: toPet(pet), record: { key: _id, fingerprint } };
}

export function toKeyDocument({ pet, record: { key, fingerprint } }: Claim): KeyDocument {
  return { _id: key, fingerprint, pet: toDocument({ pet, record: undefined }) };
}
