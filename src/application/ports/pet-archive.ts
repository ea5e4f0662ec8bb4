import type { Pet } from "../../domain/pet.js";
import type { IdempotencyRecord, PetRepository } from "./pet-repository.js";

/** A pet as a storage keeps it. */
export interface ArchivedPet {
  readonly pet: Pet;
  /** The idempotency record that was stored with the pet; undefined if its create had none. */
  readonly record: IdempotencyRecord | undefined;
}

/**
 * Driven port: a storage whose pets can move out and in. It is optional: a repository that has these methods too can
 * be the source or the target of `petstore copy`.
 *
 * - Every method rejects with `storage_unavailable` as those of `PetRepository` do, and may then be called again.
 * - `storePets` and `readPets` take one round trip for a whole batch, or a few, and never one for each pet.
 */
export interface PetArchive {
  /**
   * The first `limit` stored pets after the id `after`, in ascending order of id, each with its record; fewer only if
   * there are no more. Its cost depends on `limit`, not on how many pets there are.
   */
  readPets(range: { readonly after: bigint; readonly limit: number }): Promise<ArchivedPet[]>;

  /**
   * Stores pets under the ids that they have, each in one atomic step with its record. A pet that is there exactly as
   * it is given, with its record, counts as stored: the same batch may be sent again after a failure.
   *
   * @param pets at most 1000, in ascending order of id
   * @throws PetConflict if an id or a record's key is there with other content
   */
  storePets(pets: readonly ArchivedPet[]): Promise<void>;

  /**
   * The highest id that the storage ever gave to a pet or received by `storePets`, also if that pet is gone; or a
   * higher one below which no id will be given. 0 if there is none. Not by `max(id)`: the last pet may be gone.
   */
  highestId(): Promise<bigint>;

  /** From now on `create` gives only ids above `id`; if it does so already, nothing changes. */
  raiseIds(id: bigint): Promise<void>;

  /**
   * Marks the storage as the unfinished target of a copy, or removes the mark. The mark outlives the process as the
   * pets do. A service refuses to start on a storage that has it.
   */
  markUnfinished(unfinished: boolean): Promise<void>;

  isUnfinished(): Promise<boolean>;
}

/** `storePets` was given a pet whose id, or whose record's key, stands for something else here. */
export class PetConflict extends Error {
  constructor(
    /** The id of the pet that was to be stored. */
    readonly id: bigint,
  ) {
    super(`The storage has other content under the id of pet ${id}, or under the key of its record.`);
  }
}

/** The repository as an archive, if it is one too. */
export function asArchive(repository: PetRepository): (PetRepository & PetArchive) | undefined {
  const candidate = repository as PetRepository & Partial<Record<keyof PetArchive, unknown>>;
  return METHODS.every((name) => typeof candidate[name] === "function")
    ? (repository as PetRepository & PetArchive)
    : undefined;
}

const METHODS = [
  "readPets",
  "storePets",
  "highestId",
  "raiseIds",
  "markUnfinished",
  "isUnfinished",
] as const satisfies readonly (keyof PetArchive)[];
