import { aroundOperations } from "../../application/ports/around-operations.js";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import type { Metrics } from "./metrics.js";

/** Measures how long the operations of a storage take, and counts those that fail. */
export function measuredPetRepository(pets: PetRepository, metrics: Metrics): PetRepository {
  return aroundOperations(pets, async (operation, run) => {
    const start = performance.now();
    let failed = true;
    try {
      const result = await run();
      failed = false;
      return result;
    } finally {
      metrics.storageOperation(operation, (performance.now() - start) / 1000, failed);
    }
  });
}
