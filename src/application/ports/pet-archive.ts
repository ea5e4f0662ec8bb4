import type { Pet } from "../../domain/pet.js";
import type { IdempotencyRecord } from "./pet-repository.js";

/** A stored pet, and the record of its create, if there was one. */
export interface ArchivedPet {
  readonly pet: Pet;
  readonly record: IdempotencyRecord | undefined;
}

/**
 * Driven port, optional: exports and imports pets. `petstore copy` needs it on both sides.
 *
 * - As in `PetRepository`, an operation that fails for now rejects with `storage_unavailable`: callers may
 *   retry. If a retry does not help, e.g. on a full disk, it rejects with an Error that says what to do.
 * - `readPets` and `storePets` take a few round trips per batch, never one per pet.
 */
export interface PetArchive {
  /**
   * Resolves to the first `limit` pets (1 to 1000) above the id `after` (any int64), in ascending order of
   * id; to fewer only at the end. The cost depends on `limit`, not on the number of pets.
   */
  readPets(range: { readonly after: bigint; readonly limit: number }): Promise<ArchivedPet[]>;
  /**
   * Stores at most 1000 pets in ascending order of id (1 to `LAST_ID`), each atomically with its record. A
   * pet that already exists with equal content and record counts as stored: callers may repeat a batch.
   *
   * @throws PetConflict with the id of the given pet if different content exists under this id or its
   * record's key. Existing pets never change; each other pet of the batch is stored as given, or not at all.
   */
  storePets(pets: readonly ArchivedPet[]): Promise<void>;
  /** Resolves to the number of pets, or to a cheap estimate. */
  countPets(): Promise<number>;
  /**
   * Resolves to the highest id ever assigned, stored or raised (0 if there is none), or to a higher id up to
   * which none will be assigned. `max(id)` is wrong, since the last pet may be deleted.
   */
  highestId(): Promise<bigint>;
  /** Makes `create` assign only ids above `id`, and reject beyond `LAST_ID`. Never lowers the ids. */
  raiseIds(id: bigint): Promise<void>;
}

/** Marks a `PetConflict` across copies of this package, where `instanceof` fails. */
const BRAND = Symbol.for("petstore.PetConflict");

export class PetConflict extends Error {
  readonly [BRAND] = true;

  constructor(readonly id: bigint) {
    super(`Different content is stored under the id of pet ${id}, or under the key of its record.`);
  }
}

export function isPetConflict(error: unknown): error is PetConflict {
  return error instanceof Error && BRAND in error;
}
