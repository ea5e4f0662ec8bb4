import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import type { Guard } from "./guard.js";

/** A repository whose operations are guarded. */
export class GuardedPets implements PetRepository {
  constructor(
    private readonly pets: PetRepository,
    private readonly guard: Guard,
  ) {}

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    return this.guard.write("create", () => this.pets.create(pet, record));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.guard.read("get", () => this.pets.get(id));
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.guard.read("list", () => this.pets.list(range));
  }
}
