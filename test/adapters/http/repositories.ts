import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import type { Storage } from "../../../src/application/storage-adapter.js";
import { head } from "../../support/raw-http.js";
import { storageOver } from "../../support/start-app.js";

/** Returns a storage whose `operation` waits until the test calls `open`; `calls` counts the waiting operations. */
export function hold(operation: "create" | "get" | "list") {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const repository = new MemoryPetRepository();
  const work = repository[operation].bind(repository) as (...values: unknown[]) => Promise<unknown>;
  const held = { storage: storageOver(repository), open, calls: 0 };
  Object.assign(repository, {
    async [operation](...values: unknown[]) {
      // The guard reads pet 0 to see whether the storage responds.
      if (values[0] !== 0n) {
        held.calls++;
        await opened;
      }
      return work(...values);
    },
  });
  return held;
}

export const LISTS = 150;
/** On a storage that `fill` filled, the responses exceed the operating system's buffers for a connection. */
export const LONG_LISTS = head("GET /v1/pets?limit=100 HTTP/1.1").repeat(LISTS);

/** Fills a storage with a page of pets of the longest names. */
export async function fill<Filled extends Storage>(storage: Filled): Promise<Filled> {
  const name = "😀".repeat(255);
  for (let n = 0; n < 100; n++) await storage.pets.create({ name, categoryId: 1n, status: "available" });
  return storage;
}
