import type { PetRepository } from "../../application/ports/pet-repository.js";
import type { Metrics } from "./metrics.js";

/** Measures how long the operations of a storage take, and counts those that fail. */
export function measuredPetRepository(pets: PetRepository, metrics: Metrics): PetRepository {
  async function measure<Result>(operation: string, run: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    let failed = true;
    try {
      const result = await run();
      failed = false;
      return result;
    } finally {
      metrics.storageOperation(operation, (performance.now() - start) / 1000, failed);
    }
  }
  return {
    create: (pet, record) => measure("create", () => pets.create(pet, record)),
    get: (id) => measure("get", () => pets.get(id)),
    list: (range) => measure("list", () => pets.list(range)),
  };
}
