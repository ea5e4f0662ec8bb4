import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { petRepositoryContract } from "../../contracts/pet-repository.contract.js";

describe("MemoryPetRepository", () => {
  petRepositoryContract({ open: async () => new MemoryPetRepository() });
});
