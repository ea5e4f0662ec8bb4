import type { StorageAdapter } from "../../application/ports/storage-adapter.js";

const memory: StorageAdapter = {
  api: 1,
  schemes: ["memory"],
  form: "memory:",
  shared: false,
  durable: false,
  check: (url) => (url === "memory:" ? undefined : "must have nothing after the colon, e.g. memory:"),
  async open() {
    const { MemoryPetRepository } = await import("./memory-pet-repository.js");
    return new MemoryPetRepository();
  },
};

export default memory;
