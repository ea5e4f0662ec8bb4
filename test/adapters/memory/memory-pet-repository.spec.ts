import { expect } from "chai";
import memory from "../../../src/adapters/memory/memory-adapter.js";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { LAST_ID } from "../../../src/domain/pet.js";
import { describeContract, storageOf } from "../../../src/storage-kit/storage-contract.js";

describe("MemoryPetRepository", () => {
  describeContract(storageOf(memory, { newUrl: () => "memory:", archive: true }));

  it("assigns the last id, and none after it", async () => {
    const pets = new MemoryPetRepository();
    await pets.raiseIds(LAST_ID - 1n);
    const create = () => pets.create({ name: "Rex", categoryId: 1n, status: "sold" });
    expect((await create()).pet.id).to.equal(LAST_ID);
    expect(await create().catch((error) => error)).to.include({ code: "storage_unavailable" });
  });
});
