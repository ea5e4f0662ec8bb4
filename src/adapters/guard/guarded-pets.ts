import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import type { Creation, PetRange, PetRepository } from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import type { Guard, Run } from "./guard.js";

/** Guards each operation of a repository. */
export class GuardedPets implements PetRepository {
  private readonly runCreate: Run;
  private readonly runGet: Run;
  private readonly runList: Run;

  constructor(
    private readonly pets: PetRepository,
    guard: Guard,
  ) {
    this.runCreate = guard.write("create");
    this.runGet = guard.read("get");
    this.runList = guard.read("list");
  }

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    return this.runCreate(() => this.pets.create(pet, record));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.runGet(() => this.pets.get(id));
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.runList(() => this.pets.list(range));
  }
}
