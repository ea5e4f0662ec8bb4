import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import type { NewPet, Pet, PetStatus } from "../../domain/pet.js";
import { createTable, type TableDefinition } from "./table.js";
import type { Writer } from "./writer.js";

const PETS: TableDefinition<[name: string, categoryId: string, status: PetStatus], NewPet, Pet> = {
  name: "pets",
  columns: ["name", "category_id", "status"],
  filter: "status",
  toValues: ({ name, categoryId, status }) => [name, String(categoryId), status],
  toItem: ([id, name, categoryId, status]) => ({
    id: BigInt(id),
    name,
    categoryId: BigInt(categoryId),
    status,
  }),
};

export function createPetRepository(
  reader: DatabaseSyncInstance,
  writer: Writer,
): PetRepository & PetArchive {
  const table = createTable(PETS, reader, writer);
  return {
    async create(pet, record) {
      const { item, earlierFingerprint } = await table.create(pet, record);
      return { pet: item, earlierFingerprint };
    },
    get: table.get,
    list: (range) => table.list(range, range.status),
    async readPets(range) {
      return (await table.readStored(range)).map(({ item, record }) => ({ pet: item, record }));
    },
    async storePets(pets) {
      const conflict = await table.store(pets.map(({ pet, record }) => ({ item: pet, record })));
      if (conflict !== undefined) throw new PetConflict(conflict);
    },
    countPets: table.count,
    highestId: table.highestId,
    raiseIds: table.raiseIds,
  };
}
