import type { Db, Long, ObjectId } from "mongodb";
import type { ArchivedPet } from "../../application/ports/pet-archive.js";
import type { IdempotencyRecord } from "../../application/ports/pet-repository.js";
import type { Pet, PetStatus } from "../../domain/pet.js";

/** The driver writes a bigint as int64, and reads an int64 as a number if that is exact, else as a `Long`. */
export type Integer = bigint | number | Long;

export interface PetDocument {
  readonly _id: Integer;
  readonly name: string;
  readonly categoryId: Integer;
  readonly status: PetStatus;
  readonly idempotency?: IdempotencyRecord;
  /** Lets a create recognise its own document if the server ran the insert twice. */
  readonly creation?: ObjectId;
}

/** Claims the idempotency key `_id`, with all that a retry needs to store the pet. */
interface ClaimDocument {
  readonly _id: string;
  readonly fingerprint: string;
  readonly pet: PetDocument;
}

export type Database = ReturnType<typeof databaseOf>;

export function databaseOf(db: Db) {
  return {
    db,
    pets: db.collection<PetDocument>("pets"),
    keys: db.collection<ClaimDocument>("pets_keys"),
    counters: db.collection<{ readonly _id: string; readonly next: Integer }>("counters"),
  };
}

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
  const members = { _id: id, name, categoryId, status };
  return record ? { ...members, idempotency: { key: record.key, fingerprint: record.fingerprint } } : members;
}

export function toClaim({ pet, record }: ArchivedPet): ClaimDocument | undefined {
  if (!record) return undefined;
  return { _id: record.key, fingerprint: record.fingerprint, pet: toDocument({ pet, record: undefined }) };
}

export function toOwner({ _id: key, fingerprint, pet }: ClaimDocument): ArchivedPet {
  return { pet: toPet(pet), record: { key, fingerprint } };
}
