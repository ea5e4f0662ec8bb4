import { join } from "node:path";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { SqlitePetRepository } from "../../src/adapters/sqlite/sqlite-pet-repository.js";
import type { PetRepository } from "../../src/application/ports/pet-repository.js";
import { type AppOptions, type StartedApp, startApp } from "./start-app.js";
import { makeFolder, removeFolder } from "./temporary-folder.js";

/** A storage of each kind, empty, and what clears it away. */
const STORAGES: Record<string, () => Promise<[PetRepository, () => void]>> = {
  memory: async () => [new MemoryPetRepository(), () => {}],
  sqlite: async () => {
    const folder = makeFolder();
    const repository = await SqlitePetRepository.open(join(folder, "petstore.db"));
    return [repository, () => removeFolder(folder)];
  },
};

/** Runs a suite on every storage; `app` gives the service that was started afresh, and empty, for the test. */
export function onEveryStorage(title: string, suite: (app: () => StartedApp) => void): void {
  for (const [name, makeStorage] of Object.entries(STORAGES)) {
    describe(`${title} (${name})`, () => {
      let started: StartedApp;
      let clear: () => void;
      beforeEach(async () => {
        const [repository, clearStorage] = await makeStorage();
        clear = clearStorage;
        started = await startApp({ repository });
      });
      afterEach(async () => {
        await started.close();
        clear();
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
