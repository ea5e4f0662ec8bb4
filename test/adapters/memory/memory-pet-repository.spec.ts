import memory from "../../../src/adapters/memory/storage.js";
import { describeContract, storageOf } from "../../../src/storage-kit/storage-contract.js";

describe("MemoryPetRepository", () => {
  describeContract(storageOf(memory, { newUrl: () => "memory:", archive: true }));
});
