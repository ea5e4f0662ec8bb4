import { expect } from "chai";
import fc from "fast-check";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { GetPet } from "../../src/application/get-pet.js";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.js";
import { codeOf } from "../support/code-of.js";

describe("GetPet", () => {
  const repository = new MemoryPetRepository();
  const getPet = new GetPet(repository);

  before(() => repository.create({ name: "Rex", categoryId: 7n, status: "sold" }));

  it("answers the pet with the id", async () => {
    expect(await getPet.execute(1n)).to.deep.equal({ id: 1n, name: "Rex", categoryId: 7n, status: "sold" });
  });

  for (const id of [0n, 2n, -1n, INT64_MIN, INT64_MAX, INT64_MIN - 1n, INT64_MAX + 1n, 2n ** 64n + 1n]) {
    it(`finds no pet with the id ${id}`, async () => {
      expect(await codeOf(getPet.execute(id))).to.equal("pet_not_found");
    });
  }

  it("asks the repository for nothing but int64", async () => {
    const asked: bigint[] = [];
    class Listening extends MemoryPetRepository {
      override get(id: bigint) {
        asked.push(id);
        return super.get(id);
      }
    }
    const listening = new GetPet(new Listening());
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), async (id) => {
        expect(await codeOf(listening.execute(id))).to.equal("pet_not_found");
      }),
    );
    expect(asked).not.to.be.empty;
    for (const id of asked) expect(BigInt.asIntN(64, id)).to.equal(id);
  });
});
