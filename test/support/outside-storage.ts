import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { STORAGE_API } from "../../src/application/storage-adapter.js";

const MEMORY = import.meta.resolve("../../src/adapters/memory/memory-pet-repository.js");

/** Returns the source of a storage from outside. Its adapter contains `changes`, e.g. `api: 3`, which may call `storageOf`. */
export function outsideStorage(changes = ""): string {
  return `
    import { MemoryPetRepository } from ${JSON.stringify(MEMORY)};
    class Pets extends MemoryPetRepository {
      async ping() {}
      async close() {}
    }
    const storageOf = (pets) => ({ pets, archive: pets, ping: () => pets.ping(), close: () => pets.close() });
    export default {
      api: ${STORAGE_API},
      schemes: ["acme"],
      form: "acme:NAME",
      shared: true,
      durable: false,
      check: (url) => (url === "acme:" ? "must have a name" : undefined),
      open: async () => storageOf(new Pets()),
      ${changes}
    };`;
}

export function writeModule(folder: string, name: string, source: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, source);
  return path;
}
