import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import type { Creation, PetRange, PetRepository } from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import type { Guard } from "./guard.js";

interface StorageMetrics {
  storageOperation(operation: string, seconds: number, failed: boolean): void;
}

/** Puts a repository behind the guard, and measures its operations. */
export class GuardedPets implements PetRepository {
  constructor(
    private readonly pets: PetRepository,
    private readonly guard: Guard,
    private readonly metrics: StorageMetrics,
  ) {}

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    return this.measure("create", "write", () => this.pets.create(pet, record));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.measure("get", "read", () => this.pets.get(id));
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.measure("list", "read", () => this.pets.list(range));
  }

  private async measure<Result>(
    operation: string,
    kind: "read" | "write",
    work: () => Promise<Result>,
  ): Promise<Result> {
    const startedAt = performance.now();
    let failed = true;
    try {
      const result = await this.guard.run(kind, work);
      failed = false;
      return result;
    } finally {
      this.metrics.storageOperation(operation, (performance.now() - startedAt) / 1000, failed);
    }
  }
}
