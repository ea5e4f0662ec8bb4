import { expect } from "chai";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { GetPet } from "../../src/application/get-pet.js";
import { INT64_MAX, INT64_MIN } from "../../src/domain/pet.js";
import { codeOf } from "../support/code-of.js";

describe("GetPet", () => {
  const requested: bigint[] = [];
  const repository = new MemoryPetRepository();
  const get = repository.get.bind(repository);
  repository.get = (id) => {
    requested.push(id);
    return get(id);
  };
  const getPet = new GetPet(repository);

  it("resolves to the pet with the id", async () => {
    const { pet } = await repository.create({ name: "Rex", categoryId: 7n, status: "sold" });
    expect(await getPet.execute(1n)).to.deep.equal(pet);
  });

  it("finds no pet with another id, and asks the repository only for int64", async () => {
    requested.length = 0;
    const ids = [0n, 2n, -1n, INT64_MIN, INT64_MAX];
    for (const id of [...ids, INT64_MIN - 1n, INT64_MAX + 1n, 2n ** 64n + 1n]) {
      expect(await codeOf(getPet.execute(id)), `${id}`).to.equal("pet_not_found");
    }
    expect(requested).to.deep.equal(ids);
  });
});
