import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { Collection } from "./collection.js";

/** Keeps pets in this process. */
export class MemoryPetRepository implements PetRepository, PetArchive {
  private readonly pets = new Collection<NewPet>(({ status }) => status);

  async create({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const { item, earlierFingerprint } = this.pets.create({ name, categoryId, status }, record);
    return { pet: item, earlierFingerprint };
  }

  async get(id: bigint): Promise<Pet | undefined> {
    return this.pets.get(id)?.item;
  }

  async list(range: PetRange): Promise<Pet[]> {
    return this.pets.range(range, range.status).map(({ item }) => item);
  }

  async readPets(range: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    return this.pets.range(range).map(({ item, record }) => ({ pet: item, record }));
  }

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    const conflict = this.pets.store(pets.map(({ pet, record }) => ({ item: pet, record })));
    if (conflict !== undefined) throw new PetConflict(conflict);
  }

  async countPets(): Promise<number> {
    return this.pets.range({ after: 0n, limit: Number.POSITIVE_INFINITY }).length;
  }

  async highestId(): Promise<bigint> {
    return this.pets.highestId;
  }

  async raiseIds(id: bigint): Promise<void> {
    if (id > this.pets.highestId) this.pets.highestId = id;
  }
}
