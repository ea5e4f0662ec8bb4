import { expect } from "chai";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { CreatePet } from "../../src/application/create-pet.js";
import { PET_OPERATIONS, type PetRepository } from "../../src/application/ports/pet-repository.js";
import { readOnly } from "../../src/storages/read-only.js";
import { codeOf } from "../support/code-of.js";

describe("readOnly", () => {
  it("refuses what changes something and says so, after the rules of the core, and reads on", async () => {
    const pets = readOnly<PetRepository>(new MemoryPetRepository(), PET_OPERATIONS);
    const createPet = new CreatePet(pets);
    const refused = createPet.execute({ name: "Rex", categoryId: 7n });
    expect(await codeOf(refused)).to.equal("storage_unavailable");
    expect(await refused.catch(({ message }) => message)).to.match(/^The service is read-only for now/);
    expect(await codeOf(createPet.execute({ name: "", categoryId: 7n }))).to.equal("invalid_field");
    expect(await pets.get(1n)).to.equal(undefined);
  });
});
