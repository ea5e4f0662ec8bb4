import type { NewPet, Pet, PetStatus } from "../../domain/pet.js";

/**
 * Driven port: stores pets.
 *
 * The rules that every implementation keeps and `storage-kit` checks:
 * - Pets go in and come out by value: a caller cannot change a stored pet through an object that it holds.
 * - The repository gives ids, from 1 to `LAST_ID`. An id is given once, by any number of callers
 *   and processes, and never again, not even after its pet is gone or its create failed; gaps are allowed.
 * - Values are exact: int64 over its whole range, names code unit for code unit.
 * - A pet that `create` resolved to is durable (if the storage outlives the process at all), and every later
 *   `get` and `list` returns it.
 * - An operation that the storage cannot do now rejects with a PetstoreError `storage_unavailable`. The
 *   caller abandons an operation that takes longer than 4.5 seconds.
 */
export interface PetRepository {
  /**
   * Stores a pet with its idempotency record. If the storage already has the record's key, resolves to the pet that it has
   * under the key. A key never has two pets, even after a crash: the storage stores both atomically, or first the record with
   * all that a retry needs to store the pet.
   */
  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation>;

  /** The pet with this id (any int64), or undefined if there is none. */
  get(id: bigint): Promise<Pet | undefined>;

  /**
   * The first `limit` pets after the id `after`, in ascending order of id; fewer only if there are no more.
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
  /** The fingerprint that an earlier create under the same key stored; undefined if the pet was stored now. */
  readonly earlierFingerprint: string | undefined;
}
