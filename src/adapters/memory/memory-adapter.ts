import type { StorageAdapter } from "../../application/storage-adapter.js";

const memory: StorageAdapter = {
  api: 2,
  schemes: ["memory"],
  form: "memory:",
  shared: false,
  durable: false,
  check: (url) => (url === "memory:" ? undefined : "must have nothing after the colon, e.g. memory:"),
  async open() {
    const { MemoryPetRepository } = await import("./memory-pet-repository.js");
    const pets = new MemoryPetRepository();
    return { pets, archive: pets, async ping() {}, async close() {} };
  },
};

export default memory;
