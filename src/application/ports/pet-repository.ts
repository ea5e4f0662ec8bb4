import type { NewPet, Pet, PetStatus } from "../../domain/pet.js";

/**
 * Driven port: where pets are kept.
 *
 * The rules for every implementation, which `src/storage-kit` checks:
 * - Pets go in and come out by value: nobody can change a stored pet through an object it holds.
 * - The repository gives ids, from 1 to `LAST_ID`. An id is given once, by any number of callers
 *   and processes, and never again, not even after its pet is gone or its create failed; gaps are allowed.
 * - Everything is exact: int64 over its whole range, names code unit for code unit.
 * - A pet that `create` answered is durable (if the storage outlives the process at all), and every later
 *   `get` and `list` shows it.
 * - An operation that the storage cannot do now rejects with a PetstoreError `storage_unavailable`. The
 *   caller gives up an operation that takes longer than 4.5 seconds.
 */
export interface PetRepository {
  /**
   * Stores a pet with the idempotency record of the create. If the storage has the record's key already, it answers the
   * pet that it has under the key. A key has at most one pet, whatever dies at whatever moment: the storage stores both in one
   * atomic step, or first the record with all that a repeat needs to store the pet.
   */
  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation>;

  /** The pet with this id (any int64), or undefined if there is none. */
  get(id: bigint): Promise<Pet | undefined>;

  /**
   * The first `limit` pets after the id `after`, in ascending order of id; fewer only if there are no more.
   * Its cost depends on `limit`, not on how many pets there are.
   */
  list(range: PetRange): Promise<Pet[]>;
}

/** Which operations of the port change something. Guard and measurement go around a repository by this table. */
export const PET_OPERATIONS = {
  create: "write",
  get: "read",
  list: "read",
} as const satisfies Record<keyof PetRepository, "read" | "write">;

export interface PetRange {
  /** Only pets with this status; all if it is undefined. */
  readonly status: PetStatus | undefined;
  /** Only pets whose id is greater; 0 for the first page. */
  readonly after: bigint;
  /** At least 1. */
  readonly limit: number;
}

/** By it a storage recognises a repeated create. The storage keeps it as long as the pet itself. */
export interface IdempotencyRecord {
  /** Unique per caller and key, opaque, at most 64 ASCII characters. */
  readonly key: string;
  /** Equal if two creates ask the same, opaque, at most 64 ASCII characters. */
  readonly fingerprint: string;
}

export interface Creation {
  readonly pet: Pet;
  /** The fingerprint that an earlier create under the same key stored; undefined if the pet was stored now. */
  readonly earlierFingerprint: string | undefined;
}
