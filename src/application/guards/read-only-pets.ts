import { PetstoreError } from "../../domain/errors.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import type { Creation, IdempotencyRecord, PetRange, PetRepository } from "../ports/pet-repository.js";

/** Refuses creates for as long as the operator wants the service read-only; everything else goes on. */
export class ReadOnlyPets implements PetRepository {
  private creating = 0;

  constructor(
    private readonly pets: PetRepository,
    /** The operator's switch answers, from `src/adapters/switches`. */
    private readonly isWanted: () => boolean,
  ) {}

  /** Whether creates are refused, and no create that began before is still under way. */
  isReadOnly(): boolean {
    return this.isWanted() && this.creating === 0;
  }

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    if (this.isWanted()) {
      throw new PetstoreError(
        "storage_unavailable",
        "The service is read-only for now, since its operator has turned creates off; try again later.",
      );
    }
    this.creating++;
    try {
      return await this.pets.create(pet, record);
    } finally {
      this.creating--;
    }
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.pets.get(id);
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.pets.list(range);
  }

  ping(): Promise<void> {
    return this.pets.ping();
  }

  close(): Promise<void> {
    return this.pets.close();
  }
}
