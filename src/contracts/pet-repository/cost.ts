import assert from "node:assert/strict";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import type { Pet } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { createMany, list, somePet } from "../samples.js";
import type { StorageUnderTest } from "../storage-under-test.js";

/** How many pets an operation may read beyond its answer: one after the page, and a few for the index. */
const SLACK = 10;

/** Cases: how many pets an operation reads. Only a storage with `petsRead` can count them. */
export const COST_CASES: readonly ContractCase[] = [
  contractCase({
    name: "reads no more than it answers",
    rule: "The cost of an operation depends on `limit`, not on how many pets there are.",
    needs: ["petsRead"],
    async check(pets, { storage }) {
      const all = await createMany(pets, 600, (n) => ({ status: n % 10 ? "available" : "sold" }));
      const middle = (all[300] as Pet).id;
      const asked: Record<string, (pets: PetRepository) => Promise<unknown>> = {
        "list of the first 5": () => list(pets, { limit: 5 }),
        "list of 5 in the middle": () => list(pets, { limit: 5, after: middle }),
        "list of the first 5 that are sold": () => list(pets, { limit: 5, status: "sold" }),
        "list of 5 sold ones in the middle": () => list(pets, { limit: 5, status: "sold", after: middle }),
        "list of pending pets, of which there is none": () => list(pets, { limit: 5, status: "pending" }),
        get: () => pets.get(middle),
        "create with a record": () => pets.create(somePet(), { key: "key", fingerprint: "f" }),
        "create under the same key": () => pets.create(somePet(), { key: "key", fingerprint: "f" }),
        ping: () => pets.ping(),
      };
      for (const [what, ask] of Object.entries(asked)) {
        const read = await count(storage, () => ask(pets));
        assert(read <= 5 + SLACK, `the ${what} read ${read} of 600 pets`);
      }
    },
  }),
];

async function count(storage: StorageUnderTest, work: () => Promise<unknown>): Promise<number> {
  const before = Number(await storage.petsRead?.());
  await work();
  return Number(await storage.petsRead?.()) - before;
}
