import { PetstoreError } from "../domain/errors.js";
import { isInt64, type Pet } from "../domain/pet.js";
import type { PetRepository } from "./ports/pet-repository.js";

export class GetPet {
  constructor(private readonly repository: PetRepository) {}

  /** @throws PetstoreError `pet_not_found` (even for an id that no pet can have), `storage_unavailable` */
  async execute(id: bigint): Promise<Pet> {
    const pet = isInt64(id) ? await this.repository.get(id) : undefined;
    if (!pet) throw new PetstoreError("pet_not_found", "No pet has this id.");
    return pet;
  }
}
