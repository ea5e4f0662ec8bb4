import type { Creation, PetRange, PetRepository } from "../../application/ports/pet-repository.js";
import { PetstoreError } from "../../domain/errors.js";
import type { Pet } from "../../domain/pet.js";

/** Rejects creates while the service is read-only. */
export class ReadOnlyPets implements PetRepository {
  constructor(private readonly pets: PetRepository) {}

  async create(): Promise<Creation> {
    throw new PetstoreError(
      "storage_unavailable",
      "The service is read-only for now, because its operator has turned changes off; try again later.",
    );
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.pets.get(id);
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.pets.list(range);
  }
}
