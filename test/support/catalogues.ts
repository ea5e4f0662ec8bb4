import fc from "fast-check";
import { type Archive, archivesOf } from "../../src/application/archives.js";
import type { ArchivedPet, PetArchive } from "../../src/application/ports/pet-archive.js";
import type { PetRepository } from "../../src/application/ports/pet-repository.js";
import { SILENT_CONTEXT, type Storage } from "../../src/application/storage-adapter.js";
import { INT64_MAX, INT64_MIN, PET_STATUSES } from "../../src/domain/pet.js";
import { AWKWARD_INT64S, AWKWARD_NAMES } from "../../src/storage-kit/samples.js";
import { Storages } from "../../src/storages.js";

const ids = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 1n, max: 300n }) },
  // A storage that has all of these can still give some thousand ids below 2^53.
  fc.bigInt({ min: 1n, max: 2n ** 53n - 10_000n }),
  fc.constantFrom(2n ** 31n, 2n ** 32n, 2n ** 52n),
);

const pets = fc.record({
  id: ids,
  name: fc.oneof(fc.constantFrom(...AWKWARD_NAMES), fc.stringMatching(/^[!-~äöüßç]{1,40}$/)),
  categoryId: fc.oneof(fc.constantFrom(...AWKWARD_INT64S), fc.bigInt({ min: INT64_MIN, max: INT64_MAX })),
  status: fc.constantFrom(...PET_STATUSES),
});

const archived = fc.record({ pet: pets, recorded: fc.boolean() }).map(({ pet, recorded }) => ({
  pet,
  record: recorded ? { key: `key of ${pet.id}`, fingerprint: `print of ${pet.id}` } : undefined,
}));

/** Catalogues as a storage may hold them: gaps, ids of every kind, awkward names, pets with and without records. */
export const catalogues: fc.Arbitrary<ArchivedPet[]> = fc
  .uniqueArray(archived, { selector: ({ pet }) => pet.id, maxLength: 80 })
  .map((all) => all.sort((a, b) => (a.pet.id < b.pet.id ? -1 : 1)));

/** A plain catalogue with these ids. */
export function catalogueOf(ids: Iterable<number | bigint>): ArchivedPet[] {
  return [...ids].map((id, n) => ({
    pet: { id: BigInt(id), name: `pet ${id}`, categoryId: BigInt(n), status: PET_STATUSES[n % 3] ?? "sold" },
    record: n % 2 ? { key: `key of ${id}`, fingerprint: `print of ${id}` } : undefined,
  }));
}

export async function fill<Archive extends PetArchive>(archive: Archive, pets: readonly ArchivedPet[]) {
  for (let n = 0; n < pets.length; n += 1000) await archive.storePets(pets.slice(n, n + 1000));
  return archive;
}

/** The archive of a repository, as a copy sees it. */
export function archiveOf(pets: PetRepository & PetArchive): Archive {
  const archive = archivesOf({ pets, archive: pets, async ping() {}, async close() {} }).get("pets");
  if (!archive) throw new Error("a storage of pets has no archive");
  return archive;
}

/** Reads everything that an archive holds. */
export async function allOf(archive: PetArchive): Promise<ArchivedPet[]> {
  const all: ArchivedPet[] = [];
  for (;;) {
    const after = all.at(-1)?.pet.id ?? 0n;
    const pets = await archive.readPets({ after, limit: 1000 });
    const [first] = pets;
    if (!first) return all;
    if (first.pet.id <= after) throw new Error(`The pets after ${after} begin with ${first.pet.id}.`);
    all.push(...pets);
  }
}

/** Opens the storage of a URL as an archive, and closes it after use. */
export async function withArchive<Result>(
  url: string,
  use: (archive: PetArchive, storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await (await Storages.load()).open(url, SILENT_CONTEXT);
  if (!storage.archive) throw new Error(`${url} is no archive`);
  try {
    return await use(storage.archive, storage);
  } finally {
    await storage.close();
  }
}

/** Makes a storage that holds these pets. */
export async function writeCatalogue(url: string, pets: readonly ArchivedPet[]): Promise<void> {
  await withArchive(url, (archive) => fill(archive, pets));
}

export function readCatalogue(url: string): Promise<ArchivedPet[]> {
  return withArchive(url, allOf);
}
