import type { NewPet, Pet } from "../domain/pet.js";
import type { IdempotencyRecord } from "./ports/idempotency-record.js";
import type { Storage } from "./storage-adapter.js";

type Entity = { readonly id: bigint };

/** A stored entity with its record. */
export interface Archived<E extends Entity = Entity> {
  readonly entity: E;
  readonly record: IdempotencyRecord | undefined;
}

/** The archive of any resource, as a copy uses it; see `PetArchive`. */
export interface Archive<E extends Entity = Entity> {
  /** What messages call an entity. */
  readonly name: string;
  /** The first member in which two entities with the same id differ. */
  differingMember(left: E, right: E): string | undefined;
  read(range: { readonly after: bigint; readonly limit: number }): Promise<Archived<E>[]>;
  store(batch: readonly Archived<E>[]): Promise<void>;
  /** An estimate, for the progress bar. */
  count(): Promise<number>;
  highestId(): Promise<bigint>;
  raiseIds(id: bigint): Promise<void>;
}

type Repository = Exclude<
  keyof Storage,
  "archive" | `${string}Archive` | "ping" | "close" | "identity" | "unarchived"
>;

/** Where a storage has the archive of each repository. A repository without an entry does not compile. */
const ARCHIVES: Readonly<Record<Repository, (storage: Storage) => Archive | undefined>> = {
  pets: petArchive,
};

/** The repositories of a storage, each with its archive if there is one. */
export function archivesOf(storage: Storage): (readonly [Repository, Archive | undefined])[] {
  const repositories = (Object.keys(ARCHIVES) as Repository[]).filter((name) => storage[name] !== undefined);
  return repositories.map((name) => [name, ARCHIVES[name](storage)]);
}

/** A record, so that the compiler reports a missing member. */
const PET_MEMBERS: Readonly<Record<keyof NewPet, true>> = { name: true, categoryId: true, status: true };
const PET_MEMBER_NAMES = Object.keys(PET_MEMBERS) as (keyof NewPet)[];

function petArchive({ archive }: Storage): Archive<Pet> | undefined {
  return (
    archive && {
      name: "pet",
      differingMember: (left, right) => PET_MEMBER_NAMES.find((name) => left[name] !== right[name]),
      async read(range) {
        return (await archive.readPets(range)).map(({ pet, record }) => ({ entity: pet, record }));
      },
      store: (batch) => archive.storePets(batch.map(({ entity, record }) => ({ pet: entity, record }))),
      count: () => archive.countPets(),
      highestId: () => archive.highestId(),
      raiseIds: (id) => archive.raiseIds(id),
    }
  );
}
