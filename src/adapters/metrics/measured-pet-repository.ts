import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import type { Metrics } from "./metrics.js";

/** Measures how long the operations of a storage take, and counts those that fail. */
export class MeasuredPetRepository implements PetRepository {
  constructor(
    private readonly repository: PetRepository,
    private readonly metrics: Metrics,
  ) {}

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    return this.measure("create", performance.now(), this.repository.create(pet, record));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.measure("get", performance.now(), this.repository.get(id));
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.measure("list", performance.now(), this.repository.list(range));
  }

  ping(): Promise<void> {
    return this.measure("ping", performance.now(), this.repository.ping());
  }

  close(): Promise<void> {
    return this.repository.close();
  }

  /** @param start the time before the operation was called: it may work before it returns its promise */
  private async measure<Result>(operation: string, start: number, result: Promise<Result>): Promise<Result> {
    let failed = true;
    try {
      const value = await result;
      failed = false;
      return value;
    } finally {
      this.metrics.storageOperation(operation, (performance.now() - start) / 1000, failed);
    }
  }
}
