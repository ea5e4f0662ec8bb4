import type { Collection, Document, IndexDescription, ObjectId } from "mongodb";
import type { ArchivedPet } from "../../application/ports/pet-archive.js";
import type { IdempotencyRecord } from "../../application/ports/pet-repository.js";
import { PET_STATUSES, type Pet, type PetStatus } from "../../domain/pet.js";
import { DatabaseError, RefusedError } from "./errors.js";
import type { Ids } from "./ids.js";
import { toInt64 } from "./reading.js";

/** The document that stores a pet. The driver writes a bigint as a BSON int64. */
export interface PetDocument {
  readonly _id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
  /** New for every create, so that the create recognises its own document. */
  readonly creation?: ObjectId;
  readonly idempotency?: IdempotencyRecord;
}

/** The document that claims an idempotency key: whoever repeats its create stores this pet, if that is not stored yet. */
export interface KeyDocument {
  readonly _id: string;
  readonly fingerprint: string;
  readonly pet: Omit<PetDocument, "idempotency">;
}

/** The collection of pets, the keys under which some were created, and the ids for them. */
export interface Pets {
  readonly collection: Collection<PetDocument>;
  readonly keys: Collection<KeyDocument>;
  readonly ids: Ids;
}

/** A pet with its record, as it is stored or is to be. */
export interface StoredPet extends ArchivedPet {
  readonly creation?: ObjectId | undefined;
}

/**
 * Options to find documents: within 2.5 seconds, and as bytes, for `readExactly`. If the find had the options of
 * `readExactly`, driver 7.8 would read the server's errors by them, too: their codes would be objects, and it would retry
 * no read.
 */
export const READ_WHOLE = { raw: true, maxTimeMS: 2500 } as const;

/** Like `READ_WHOLE`, only the members of a pet. */
export const READ = { ...READ_WHOLE, projection: { name: 1, categoryId: 1, status: 1 } } as const;

/** Serves lists by status, each as one range in order of id. */
export const PET_INDEXES: readonly IndexDescription[] = [
  { name: "pets_by_status", key: { status: 1, _id: 1 } },
];

/** The rule for documents of `pets`. `toPet` still checks every document, since documents may be older than the rule. */
export const PET_SCHEMA = {
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
};

export function toDocument({ pet, record, creation }: StoredPet): PetDocument {
  const { id, name, categoryId, status } = pet;
  return {
    ...{ _id: id, name, categoryId, status },
    ...(creation && { creation }),
    ...(record && { idempotency: { key: record.key, fingerprint: record.fingerprint } }),
  };
}

export function toKeyDocument({ record, ...stored }: StoredPet): KeyDocument {
  const { key, fingerprint } = record as IdempotencyRecord;
  return { _id: key, fingerprint, pet: toDocument({ ...stored, record: undefined }) };
}

/** @throws DatabaseError if another writer left pet or claim malformed */
export function fromKeyDocument({ _id, fingerprint, pet }: Document): StoredPet {
  const kept = toPet(pet ?? {});
  if (!kept) throw new DatabaseError(`the pet under an idempotency key is malformed, _id ${pet?._id}`);
  return { pet: kept, record: { key: _id, fingerprint: String(fingerprint) }, creation: pet.creation };
}

/**
 * The pet of a document with its record.
 *
 * @throws RefusedError that names the document if another writer left pet or record malformed: a copy must not leave out
 *   either of them
 */
export function toArchived(document: Document): ArchivedPet {
  const pet = toPet(document);
  const { _id, idempotency } = document;
  const { key, fingerprint } = idempotency ?? {};
  if (pet && idempotency === undefined) return { pet, record: undefined };
  if (pet && typeof key === "string" && typeof fingerprint === "string")
    return { pet, record: { key, fingerprint } };
  throw new RefusedError(
    `A document of pets is malformed: give _id ${_id} the members and types that the collection's validator asks for, or remove it`,
  );
}

/** The pet of a document that was read exactly; undefined if another writer left it malformed. */
export function toPet({ _id, name, categoryId, status }: Document): Pet | undefined {
  const id = toInt64(_id);
  const category = toInt64(categoryId);
  if (id === undefined || id < 1n || category === undefined) return undefined;
  if (typeof name !== "string" || !PET_STATUSES.includes(status)) return undefined;
  return { id, name, categoryId: category, status };
}
