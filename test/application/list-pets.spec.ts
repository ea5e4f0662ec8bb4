import { inspect } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { ListPets } from "../../src/application/list-pets.js";
import { PET_STATUSES, type Pet, type PetStatus } from "../../src/domain/pet.js";
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

  it("shows 20 pets unless a limit from 1 to 100 is given", async () => {
    const pets = await createPets(Array(101).fill("sold"));
    for (const [query, limit] of [
      [{}, 20],
      [{ limit: 1 }, 1],
      [{ limit: 100 }, 100],
    ] as const) {
      const page = { items: pets.slice(0, limit), next: BigInt(limit) };
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

  it("shows a pet that exists during the whole walk exactly once, whatever is created meanwhile", async () => {
    const status = fc.constantFrom(...PET_STATUSES);
    const before = fc.array(status, { maxLength: 30 });
    /** The pets that are created before each page, as long as the list lasts. */
    const meanwhile = fc.array(fc.array(status, { maxLength: 5 }), { maxLength: 30 });
    const limits = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
    const filter = fc.constantFrom(undefined, ...PET_STATUSES);
    await fc.assert(
      fc.asyncProperty(before, meanwhile, limits, filter, async (before, meanwhile, limits, filter) => {
        repository = new MemoryPetRepository();
        listPets = new ListPets(repository);
        const matches = (pet: Pet) => !filter || pet.status === filter;
        const existed = (await createPets(before)).filter(matches);
        const created: Pet[] = [];
        let page = 0;
        const seen = await walk(limits, filter, async () => {
          created.push(...(await createPets(meanwhile[page++] ?? [])).filter(matches));
        });
        // Each new pet has a higher id than those before it, so that the walk reaches it in its last pages.
        expect(seen).to.deep.equal([...existed, ...created].slice(0, seen.length));
        expect(seen.length).to.be.at.least(existed.length);
      }),
    );
  });

  /** Walks from page to page, with the limits in turn, until there is no next one. */
  async function walk(
    limits: readonly number[],
    status: PetStatus | undefined,
    beforeEachPage: () => Promise<void>,
  ): Promise<Pet[]> {
    const seen: Pet[] = [];
    let after: bigint | undefined;
    for (let page = 0; page === 0 || after !== undefined; page++) {
      await beforeEachPage();
      const limit = limits[page % limits.length];
      const { items, next } = await listPets.execute({ limit, status, after });
      if (next !== undefined) expect(items).to.have.length(limit as number);
      seen.push(...items);
      after = next;
    }
    return seen;
  }
});
