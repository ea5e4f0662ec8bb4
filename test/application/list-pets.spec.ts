import { inspect } from "node:util";
import { expect } from "chai";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { ListPets } from "../../src/application/list-pets.js";
import type { Pet, PetStatus } from "../../src/domain/pet.js";
import { codeOf } from "../support/code-of.js";

describe("ListPets", () => {
  let repository: MemoryPetRepository;
  let listPets: ListPets;

  beforeEach(() => {
    repository = new MemoryPetRepository();
    listPets = new ListPets(repository);
  });

  async function createPets(statuses: readonly PetStatus[]): Promise<Pet[]> {
    const pets: Pet[] = [];
    for (const status of statuses) {
      pets.push((await repository.create({ name: "Rex", categoryId: 7n, status })).pet);
    }
    return pets;
  }

  it("returns 20 pets unless a limit from 1 to 100 is set", async () => {
    const pets = await createPets(Array(101).fill("sold"));
    for (const [query, limit] of [
      [{}, 20],
      [{ limit: 1 }, 1],
      [{ limit: 100 }, 100],
    ] as const) {
      const page = { pets: pets.slice(0, limit), next: BigInt(limit) };
      expect(await listPets.execute(query)).to.deep.equal(page);
    }
    for (const limit of [0, -1, 101, 1.5, Number.NaN, Infinity, -Infinity]) {
      expect(await codeOf(listPets.execute({ limit })), `${limit}`).to.equal("invalid_parameter");
    }
  });

  it("names a next page only if there is a pet to show on it", async () => {
    const pets = await createPets(["sold", "available", "sold", "available"]);
    for (const [query, next] of [
      [{ limit: 3 }, 3n],
      [{ limit: 4 }, undefined],
      [{ limit: 5 }, undefined],
      [{ limit: 1, status: "sold" }, 1n],
      [{ limit: 2, status: "sold" }, undefined],
      [{ limit: 1, status: "sold", after: 1n }, undefined],
      [{ limit: 1, status: "pending" }, undefined],
      [{ limit: 1, after: pets.at(-1)?.id }, undefined],
    ] as const) {
      expect((await listPets.execute(query)).next, inspect(query)).to.equal(next);
    }
  });
});
