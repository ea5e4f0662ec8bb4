import type { Collection, Document, IndexDescription, ObjectId } from "mongodb";
import type { ArchivedPet } from "../../application/ports/pet-archive.js";
import type { IdempotencyRecord } from "../../application/ports/pet-repository.js";
import { PET_STATUSES, type Pet, type PetStatus } from "../../domain/pet.js";
import { RefusedError } from "./errors.js";
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

/** The collection of pets, and the ids for them. */
export interface Pets {
  readonly collection: Collection<PetDocument>;
  readonly ids: Ids;
}

/**
 * Options to find pets: only the members of a pet, within 2.5 seconds. Documents come as bytes, for `readExactly`. If
 * the find had the options of `readExactly`, driver 7.8 would read the server's errors by them, too: their codes would
 * be objects, and it would retry no read.
 */
export const READ = {
  raw: true,
  maxTimeMS: 2500,
  projection: { name: 1, categoryId: 1, status: 1 },
} as const;

/** Like `READ`, with the idempotency record. */
export const READ_ARCHIVED = { ...READ, projection: { ...READ.projection, idempotency: 1 } } as const;

/** The first serves lists by status, each as one range in order of id; the second prevents a second pet under a key. */
export const PET_INDEXES: readonly IndexDescription[] = [
  { name: "pets_by_status", key: { status: 1, _id: 1 } },
  {
    name: "pets_by_idempotency_key",
    key: { "idempotency.key": 1 },
    unique: true,
    partialFilterExpression: { "idempotency.key": { $exists: true } },
  },
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

export function toDocument({ pet: { id, name, categoryId, status }, record }: ArchivedPet): PetDocument {
  const document = { _id: id, name, categoryId, status };
  return record
    ? { ...document, idempotency: { key: record.key, fingerprint: record.fingerprint } }
    : document;
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
  if (!pet) throw malformed(_id);
  if (idempotency === undefined) return { pet, record: undefined };
  const { key, fingerprint } = idempotency ?? {};
  if (typeof key !== "string" || typeof fingerprint !== "string") throw malformed(_id);
  return { pet, record: { key, fingerprint } };
}

function malformed(_id: unknown): RefusedError {
  return new RefusedError(
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
