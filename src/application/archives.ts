import type { Pet } from "../domain/pet.js";
import type { IdempotencyRecord } from "./ports/idempotency-record.js";
import type { Storage } from "./storage-adapter.js";

type Entity = { readonly id: bigint };

/** A stored entity with its record. */
export interface Archived<E extends Entity = Entity> {
  readonly entity: E;
  readonly record: IdempotencyRecord | undefined;
}

/** The archive of any repository, as a copy uses it; see `PetArchive`. */
export interface Archive<E extends Entity = Entity> {
  /** What messages call an entity. */
  readonly name: string;
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
  pets: ({ archive }): Archive<Pet> | undefined =>
    archive && {
      name: "pet",
      read: async (range) =>
        (await archive.readPets(range)).map(({ pet, record }) => ({ entity: pet, record })),
      store: (batch) => archive.storePets(batch.map(({ entity, record }) => ({ pet: entity, record }))),
      count: () => archive.countPets(),
      highestId: () => archive.highestId(),
      raiseIds: (id) => archive.raiseIds(id),
    },
};

/** The archives of a storage by repository. @throws Error if a repository has none */
export function archivesOf(storage: Storage): ReadonlyMap<string, Archive> {
  const repositories = (Object.keys(ARCHIVES) as Repository[]).filter((name) => storage[name] !== undefined);
  return new Map(
    repositories.map((name) => {
      const archive = ARCHIVES[name](storage);
      if (!archive) throw new Error(`the storage has no archive of its ${name}; use another storage.`);
      return [name, archive];
    }),
  );
}
