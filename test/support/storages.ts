import { join } from "node:path";
import { pino } from "pino";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { SqlitePetRepository } from "../../src/adapters/sqlite/sqlite-pet-repository.js";
import type { PetRepository } from "../../src/application/ports/pet-repository.js";
import { openStorage } from "../../src/storages/open-storage.js";
import { Storages } from "../../src/storages/storages.js";
import { describeWithMongodb } from "./mongodb-server.js";
import { openEmptied } from "./mongodb-storage.js";
import { type AppOptions, type StartedApp, startApp } from "./start-app.js";
import { makeFolder, removeFolder } from "./temporary-folder.js";

type MakeStorage = () => Promise<[PetRepository, () => void]>;

/** Makes an empty storage of each built-in kind, and a function that removes it. */
const BUILT_IN: Record<string, MakeStorage> = {
  memory: async () => [new MemoryPetRepository(), () => {}],
  sqlite: async () => {
    const folder = makeFolder();
    const repository = await SqlitePetRepository.open(join(folder, "petstore.db"));
    return [repository, () => removeFolder(folder)];
  },
};

/**
 * The URL of a storage from outside that takes the place of the others, with `{n}` for the name of each
 * storage. `PETSTORE_STORAGE_ADAPTERS` names its module, as usual.
 */
const OUTSIDE = process.env.PETSTORE_TEST_STORAGE;

let opened = 0;

/** The person who has named the storage removes the storages of the tests. */
async function makeOutside(url: string): ReturnType<MakeStorage> {
  const storages = await Storages.load(process.env.PETSTORE_STORAGE_ADAPTERS);
  const context = { log: pino({ level: "silent" }), addReading() {} };
  return [await openStorage(url.replaceAll("{n}", `t${++opened}`), storages, context), () => {}];
}

const STORAGES = OUTSIDE ? { outside: () => makeOutside(OUTSIDE) } : BUILT_IN;

/** Runs a suite on every storage. `app` gives the service, started anew and empty for each test. */
export function onEveryStorage(title: string, suite: (app: () => StartedApp) => void): void {
  for (const [name, makeStorage] of Object.entries(STORAGES)) {
    describe(`${title} (${name})`, () => startForEach(makeStorage, suite));
  }
  if (OUTSIDE) return;
  describeWithMongodb(`${title} (mongodb)`, (url) => {
    startForEach(async () => [await openEmptied(url), () => {}], suite);
  });
}

function startForEach(makeStorage: MakeStorage, suite: (app: () => StartedApp) => void): void {
  let started: StartedApp;
  let clear: () => void;
  beforeEach(async function () {
    this.timeout(20_000);
    // A property test asks a hundred times, and the storage may be a server.
    this.currentTest?.timeout(20_000);
    const [repository, clearStorage] = await makeStorage();
    clear = clearStorage;
    started = await startApp({ repository });
  });
  afterEach(async () => {
    await started.close();
    clear();
  });
  suite(() => started);
}

/** The service on memory, started once for the enclosing suite: for tests that depend on no storage. */
export function useApp(options?: AppOptions): () => StartedApp {
  let started: StartedApp;
  before(async () => {
    started = await startApp(options);
  });
  after(() => started.close());
  return () => started;
}
