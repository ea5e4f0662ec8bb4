import type { Pet } from "../../domain/pet.js";
import type { IdempotencyRecord } from "./pet-repository.js";

/** A pet as a storage keeps it. */
export interface ArchivedPet {
  readonly pet: Pet;
  /** The idempotency record that was stored with the pet; undefined if its create had none. */
  readonly record: IdempotencyRecord | undefined;
}

/**
 * Driven port: a storage whose pets can move out and in. It is optional: only a storage that has it can be the source or
 * the target of a copy.
 *
 * - As in `PetRepository`, an operation that the storage cannot do now rejects with `storage_unavailable`, even one
 *   whose batch took too long; callers may ask again. If waiting does not help, e.g. with a full disk, it rejects with
 *   an Error that says what to do.
 * - `storePets` and `readPets` take one round trip for a whole batch, or a few, and never one for each pet.
 */
export interface PetArchive {
  /**
   * The first `limit` stored pets after the id `after`, in ascending order of id, each with its record; fewer only if
   * there are no more. Its cost depends on `limit`, not on how many pets there are.
   *
   * @param range `after` is any int64; `limit` is from 1 to 1000
   */
  readPets(range: { readonly after: bigint; readonly limit: number }): Promise<ArchivedPet[]>;

  /**
   * Stores pets under the ids that they have, each in one atomic step with its record. A pet that is there exactly as
   * it is given, with its record, counts as stored: the same batch may be sent again after a failure.
   *
   * @param pets at most 1000, in ascending order of id; ids from 1 to `LAST_ID`
   * @throws PetConflict if an id or a record's key is there with other content
   */
  storePets(pets: readonly ArchivedPet[]): Promise<void>;

  /** About how many pets there are: a cheap estimate will do. For progress. */
  countPets(): Promise<number>;

  /**
   * The highest id that the storage ever gave, or received by `raiseIds` or `storePets`, even if its pet is gone; 0 if
   * there is none. The answer may be higher, if the storage will give no id up to it. `max(id)` is wrong: the last pet
   * may be gone.
   */
  highestId(): Promise<bigint>;

  /**
   * From now on `create` gives only ids above `id`; if it does so already, nothing changes. If none is left up to `LAST_ID`,
   * `create` rejects from then on.
   */
  raiseIds(id: bigint): Promise<void>;
}

/** Which operations of the port change something. */
export const PET_ARCHIVE_OPERATIONS = {
  readPets: "read",
  storePets: "write",
  countPets: "read",
  highestId: "read",
  raiseIds: "write",
} as const satisfies Record<keyof PetArchive, "read" | "write">;

/** Marks a `PetConflict` across copies of this package. */
const BRAND = Symbol.for("petstore.PetConflict");

/** The storage has another pet under the id of a given pet, or under the key of its record. */
export class PetConflict extends Error {
  readonly [BRAND] = true;

  constructor(
    /** The id of the given pet. */
    readonly id: bigint,
  ) {
    super(`The storage has other content under the id of pet ${id}, or under the key of its record.`);
  }
}

/** Whether this copy of the package or another one made the error. */
export function isPetConflict(error: unknown): error is PetConflict {
  return error instanceof Error && BRAND in error;
}
