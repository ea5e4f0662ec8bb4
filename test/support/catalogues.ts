import type { ArchivedPet, PetArchive } from "../../src/application/ports/pet-archive.js";
import { SILENT_CONTEXT } from "../../src/application/storage-adapter.js";
import { PET_STATUSES } from "../../src/domain/pet.js";
import { Storages } from "../../src/storages.js";

/** Returns pets with these ids; those with odd ids have a record. */
export function catalogueOf(ids: Iterable<number | bigint>): ArchivedPet[] {
  return Array.from(ids, BigInt).map((id) => ({
    pet: { id, name: `pet ${id}`, categoryId: -id, status: PET_STATUSES[Number(id % 3n)] ?? "sold" },
    record: id % 2n ? { key: `key of ${id}`, fingerprint: `print of ${id}` } : undefined,
  }));
}

export async function fill<Archive extends PetArchive>(archive: Archive, pets: readonly ArchivedPet[]) {
  for (let n = 0; n < pets.length; n += 1000) await archive.storePets(pets.slice(n, n + 1000));
  return archive;
}

export async function allOf(archive: PetArchive): Promise<ArchivedPet[]> {
  const all: ArchivedPet[] = [];
  for (;;) {
    const page = await archive.readPets({ after: all.at(-1)?.pet.id ?? 0n, limit: 1000 });
    all.push(...page);
    if (page.length < 1000) return all;
  }
}

async function withArchive<Result>(url: string, use: (archive: PetArchive) => Promise<Result>) {
  const storage = await (await Storages.load({})).open(url, SILENT_CONTEXT);
  if (!storage.archive) throw new Error(`${url} is no archive`);
  try {
    return await use(storage.archive);
  } finally {
    await storage.close();
  }
}

export async function writeCatalogue(url: string, pets: readonly ArchivedPet[]): Promise<void> {
  await withArchive(url, (archive) => fill(archive, pets));
}

export function readCatalogue(url: string): Promise<ArchivedPet[]> {
  return withArchive(url, allOf);
}
