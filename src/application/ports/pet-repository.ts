import type { NewPet, Pet, PetStatus } from "../../domain/pet.js";

/**
 * Driven port: stores pets. Every implementation keeps these rules, which `storage-kit` checks:
 * - Pets go in and come out by value: a caller cannot change a stored pet through an object that it holds.
 * - The repository assigns ids, from 1 to `LAST_ID`; gaps are allowed. For any number of callers and
 *   processes, an id is assigned once, and never again, even after its pet is deleted or its create failed.
 * - Values are exact: int64 over its whole range, names code unit for code unit.
 * - A pet that `create` resolved to is durable (if the storage outlives the process at all), and every later
 *   `get` and `list` returns it.
 * - An operation that fails for now rejects with a PetstoreError `storage_unavailable`. The caller abandons
 *   an operation after 4.5 seconds.
 */
export interface PetRepository {
  /**
   * Stores a pet with its idempotency record. If the record's key is already stored, resolves to the pet
   * under the key. A key never owns two pets, even after a crash: the storage stores both atomically, or
   * first the record with all that a retry needs to store the pet.
   */
  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation>;

  /** Resolves to the pet with this id (any int64), or to undefined. */
  get(id: bigint): Promise<Pet | undefined>;

  /**
   * Resolves to the first `limit` pets above the id `after`, in ascending order; to fewer only at the end.
   * The cost depends on `limit`, not on the number of pets.
   */
  list(range: PetRange): Promise<Pet[]>;
}

export interface PetRange {
  /** Only pets with this status; all if undefined. */
  readonly status: PetStatus | undefined;
  /** Only pets whose id is greater; 0 for the first page. */
  readonly after: bigint;
  /** At least 1. */
  readonly limit: number;
}

/** Identifies a repeated create. The storage keeps it as long as the pet. */
export interface IdempotencyRecord {
  /** Unique per caller and key, opaque, at most 64 ASCII characters. */
  readonly key: string;
  /** Equal if two creates have the same content, opaque, at most 64 ASCII characters. */
  readonly fingerprint: string;
}

export interface Creation {
  readonly pet: Pet;
  /** The fingerprint of the earlier create under the same key; undefined if the pet was stored now. */
  readonly earlierFingerprint: string | undefined;
}
