import { expect } from "chai";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";

describe("MemoryPetRepository, with ids up to the last but one", () => {
  it("gives the last id, and none after it", async () => {
    const pets = new MemoryPetRepository();
    const last = BigInt(Number.MAX_SAFE_INTEGER);
    await pets.raiseIds(last - 1n);
    const create = () => pets.create({ name: "Rex", categoryId: 1n, status: "sold" });
    expect((await create()).pet.id).to.equal(last);
    expect(await create().catch((error) => error)).to.include({ code: "storage_unavailable" });
  });
});
