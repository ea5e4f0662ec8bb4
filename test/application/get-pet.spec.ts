import { expect } from "chai";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { GetPet } from "../../src/application/get-pet.js";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.js";
import { codeOf } from "../support/code-of.js";

describe("GetPet", () => {
  const asked: bigint[] = [];
  class Listening extends MemoryPetRepository {
    override get(id: bigint) {
      asked.push(id);
      return super.get(id);
    }
  }
  const repository = new Listening();
  const getPet = new GetPet(repository);

  before(() => repository.create({ name: "Rex", categoryId: 7n, status: "sold" }));

  it("answers the pet with the id", async () => {
    expect(await getPet.execute(1n)).to.deep.equal({ id: 1n, name: "Rex", categoryId: 7n, status: "sold" });
  });

  for (const id of [0n, 2n, -1n, INT64_MIN, INT64_MAX, INT64_MIN - 1n, INT64_MAX + 1n, 2n ** 64n + 1n]) {
    it(`finds no pet with the id ${id}, and asks the repository for nothing but int64`, async () => {
      asked.length = 0;
      expect(await codeOf(getPet.execute(id))).to.equal("pet_not_found");
      expect(asked).to.deep.equal(BigInt.asIntN(64, id) === id ? [id] : []);
    });
  }
});
