import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import type { Pet } from "../../../src/domain/pet.js";

/** A repository whose `operation` does nothing before the test calls `open`. `asked` counts its calls. */
export function hold(operation: "create" | "get" | "list") {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const repository = new MemoryPetRepository();
  const work = repository[operation].bind(repository) as (...values: unknown[]) => Promise<unknown>;
  const held = { repository, open, asked: 0 };
  Object.assign(repository, {
    async [operation](...values: unknown[]) {
      // The guard reads pet 0, to see whether the storage answers.
      if (values[0] !== 0n) {
        held.asked++;
        await opened;
      }
      return work(...values);
    },
  });
  return held;
}

/** Its list is longer than what the operating system takes on for a connection. */
export class LongRepository extends MemoryPetRepository {
  override async list(): Promise<Pet[]> {
    return [{ id: 1n, name: "x".repeat(20_000_000), categoryId: 1n, status: "available" }];
  }
}

export type Held = ReturnType<typeof hold>;
