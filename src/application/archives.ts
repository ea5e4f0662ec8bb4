import type { Pet } from "../domain/pet.js";
import type { IdempotencyRecord } from "./ports/pet-repository.js";
import type { Storage } from "./storage-adapter.js";

/** A stored item with the record of its create; undefined if it had none. */
export interface Stored<Item = object> {
  readonly item: Item & { readonly id: bigint };
  readonly record: IdempotencyRecord | undefined;
}

/** The archive of any repository, as a copy uses it; see `PetArchive`. */
export interface Archive<Item = object> {
  /** What messages call an item. */
  readonly name: string;
  read(range: { readonly after: bigint; readonly limit: number }): Promise<Stored<Item>[]>;
  store(batch: readonly Stored<Item>[]): Promise<void>;
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
        (await archive.readPets(range)).map(({ pet, record }) => ({ item: pet, record })),
      store: (batch) => archive.storePets(batch.map(({ item, record }) => ({ pet: item, record }))),
      count: () => archive.countPets(),
      highestId: () => archive.highestId(),
      raiseIds: (id) => archive.raiseIds(id),
    },
};

/** The archives of a storage by repository. @throws Error if a repository has none */
export function archivesOf(storage: Storage): ReadonlyMap<string, Archive> {
  const archives = new Map<string, Archive>();
  for (const [name, archiveOf] of Object.entries(ARCHIVES).filter(([name]) => name in storage)) {
    const archive = archiveOf(storage);
    if (!archive) throw new Error(`the storage has no archive of its ${name}; use another storage.`);
    archives.set(name, archive);
  }
  return archives;
}
