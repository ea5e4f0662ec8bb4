import type { Pet } from "../../domain/pet.js";
import type { IdempotencyRecord } from "./pet-repository.js";

/** A stored pet with its record; undefined if its create had none. */
export interface ArchivedPet {
  readonly pet: Pet;
  readonly record: IdempotencyRecord | undefined;
}

/**
 * Driven port, optional: a storage that can export and import its pets. `petstore copy` needs it on both sides.
 *
 * - As in `PetRepository`, an operation that the storage cannot do now rejects with `storage_unavailable`, and callers may
 *   retry. If a retry does not help, e.g. on a full disk, it rejects with an Error that says what to do.
 * - `readPets` and `storePets` take a few round trips per batch, never one per pet.
 */
export interface PetArchive {
  /**
   * The first `limit` pets (1 to 1000) after the id `after` (any int64), in ascending order of id; fewer only if there are no
   * more. The cost depends on `limit`, not on the number of pets.
   */
  readPets(range: { readonly after: bigint; readonly limit: number }): Promise<ArchivedPet[]>;
  /**
   * Stores at most 1000 pets in ascending order of id (1 to `LAST_ID`), each atomically with its record. A pet that already
   * exists, with the same content and record, counts as stored: the same batch may be sent again.
   *
   * @throws PetConflict with the id of the given pet, if its id or its record's key already exists with different content.
   * Nothing that exists changes; each other pet of the batch is then stored as given, or not at all.
   */
  storePets(pets: readonly ArchivedPet[]): Promise<void>;
  /** The number of pets; a cheap estimate will do. */
  countPets(): Promise<number>;
  /**
   * The highest id that the storage ever gave, or received by `raiseIds` or `storePets`; 0 if there is none. It may return a
   * higher one, if it will give no id up to that. `max(id)` is wrong: the last pet may be gone.
   */
  highestId(): Promise<bigint>;
  /** From now on `create` gives only ids above `id`, and rejects once none up to `LAST_ID` is left. Never lowers the ids. */
  raiseIds(id: bigint): Promise<void>;
}

/** Marks a `PetConflict` across copies of this package. */
const BRAND = Symbol.for("petstore.PetConflict");

/** The storage has different content under the id of a given pet, or under the key of its record. */
export class PetConflict extends Error {
  readonly [BRAND] = true;

  constructor(readonly id: bigint) {
    super(`The storage has other content under the id of pet ${id}, or under the key of its record.`);
  }
}

/** Works across copies of this package. */
export function isPetConflict(error: unknown): error is PetConflict {
  return error instanceof Error && BRAND in error;
}
