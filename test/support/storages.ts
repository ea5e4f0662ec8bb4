import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { SqlitePetRepository } from "../../src/adapters/sqlite/sqlite-pet-repository.js";
import type { PetRepository } from "../../src/application/ports/pet-repository.js";
import { type AppOptions, type StartedApp, startApp } from "./start-app.js";

/** A storage of each kind, empty, and what clears it away. */
const STORAGES: Record<string, () => Promise<[PetRepository, () => Promise<void>]>> = {
  memory: async () => [new MemoryPetRepository(), async () => {}],
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), "petstore-http-"));
    const repository = await SqlitePetRepository.open(join(folder, "petstore.db"));
    return [repository, () => rm(folder, { recursive: true })];
  },
};

/** Runs a suite on every storage; `app` gives the service that was started afresh, and empty, for the test. */
export function onEveryStorage(title: string, suite: (app: () => StartedApp) => void): void {
  for (const [name, makeStorage] of Object.entries(STORAGES)) {
    describe(`${title} (${name})`, () => {
      let started: StartedApp;
      let clear: () => Promise<void>;
      beforeEach(async () => {
        const [repository, clearStorage] = await makeStorage();
        clear = clearStorage;
        started = await startApp({ repository });
      });
      afterEach(async () => {
        await started.close();
        await clear();
      });
      suite(() => started);
    });
  }
}

/** The service on memory, started once for the enclosing suite: for what depends on no storage. */
export function useApp(options?: AppOptions): () => StartedApp {
  let started: StartedApp;
  before(async () => {
    started = await startApp(options);
  });
  after(() => started.close());
  return () => started;
}
