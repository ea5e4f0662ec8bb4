import assert from "node:assert/strict";
import type { PetRange } from "../../application/ports/pet-repository.js";
import { INT64_MAX, INT64_MIN, PET_STATUSES, type Pet } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { create, createPets, ids, inOrder, list, recordOf, somePet } from "../samples.js";

/** How many pets an operation may read beyond its answer: one after the page, and a few for the index. */
const SLACK = 10;

const FEW_SOLD = ["sold", ...Array<"available">(9).fill("available")] as const;

/** The page that `list` must answer, from all pets in order of id. */
function pageOf(all: readonly Pet[], { status, after, limit }: PetRange): Pet[] {
  return all.filter((pet) => pet.id > after && (!status || pet.status === status)).slice(0, limit);
}

/** Cases: `get` and `list`. */
export const READ_CASES: readonly ContractCase[] = [
  contractCase({
    name: "answers undefined for no pet",
    rule: "get answers undefined for any int64 that is no pet's id, and a new storage has no pet.",
    async check(pets) {
      assert.deepEqual(await list(pets), [], "the list of a new storage");
      assert.deepEqual(await list(pets, { status: "sold" }), [], "the list of sold pets of a new storage");
      assert.equal(await pets.get(1n), undefined, "get(1) of a new storage");
      const { id } = await create(pets);
      // Some of these become the pet's own id if a storage cuts them to 32 bits or rounds them to a double.
      const near = [id - 1n, -id, id + 10_000_000n, id + 2n ** 32n, id + INT64_MIN, id + 2n ** 53n];
      for (const absent of [...near, 0n, -1n, 2n ** 53n + 1n, 2n ** 62n, INT64_MIN, INT64_MAX]) {
        assert.equal(await pets.get(absent), undefined, `get(${absent}), with one pet, whose id is ${id},`);
      }
    },
  }),
  contractCase({
    name: "lists by id",
    rule: "list answers the first `limit` pets whose id is greater than `after`, any int64, in ascending order of id as a number; fewer only if there are no more.",
    async check(pets) {
      const all = await createPets(pets, 12);
      const last = all.at(-1) as Pet;
      for (const after of [INT64_MIN, -1n, 0n, ...ids(all), last.id + 1n, 2n ** 53n + 1n, INT64_MAX]) {
        for (const limit of [1, 2, 5, 11, 12, 13, 101]) {
          const range = { status: undefined, after, limit };
          const what = `the list of 12 pets after ${after} with limit ${limit}`;
          assert.deepEqual(await list(pets, range), pageOf(all, range), what);
        }
      }
    },
  }),
  contractCase({
    name: "lists by status",
    rule: "list shows only pets with the status that is asked for, and fills the page even if these are few and far between.",
    async check(pets) {
      const all = await createPets(pets, 60, FEW_SOLD);
      const middle = (all[25] as Pet).id;
      for (const status of PET_STATUSES) {
        for (const after of [0n, middle, middle - 1n, INT64_MAX]) {
          for (const limit of [1, 3, 6, 101]) {
            const range = { status, after, limit };
            const what = `the list of ${status} pets after ${after} with limit ${limit}`;
            assert.deepEqual(await list(pets, range), pageOf(all, range), what);
          }
        }
      }
    },
  }),
  contractCase({
    name: "knows no greatest limit",
    rule: "list takes any limit from 1, beyond what HTTP asks for.",
    async check(pets) {
      const all = await createPets(pets, 1_050, ["available"]);
      for (const limit of [1_001, 1_050, 100_000, 2 ** 31]) {
        for (const status of [undefined, "available"] as const) {
          const what = `the list of ${status ?? "all"} pets with limit ${limit}`;
          assert.deepEqual(await list(pets, { limit, status }), all.slice(0, limit), what);
        }
      }
    },
  }),
  contractCase({
    name: "loses no pet in a walk",
    rule: "A walk through the list sees a pet that exists all the while exactly once, whatever is created meanwhile.",
    async check(pets) {
      const before = await createPets(pets, 30);
      const created: Pet[] = [];
      const createOne = async () => created.push(await create(pets));
      const seen: Pet[] = [];
      // Two pets arrive with each page of three, so the walk reaches pets that it has seen arrive.
      for (let round = 0; round < 20; round++) {
        const after = seen.at(-1)?.id ?? 0n;
        const [page] = await Promise.all([list(pets, { limit: 3, after }), createOne(), createOne()]);
        seen.push(...page);
      }
      assert.equal(new Set(ids(seen)).size, seen.length, "the number of pets seen, each counted once,");
      const known = new Set(ids(before));
      const earlier = seen.filter(({ id }) => known.has(id));
      assert.deepEqual(earlier, before, "those pets of the walk that were there before it");
      assert(seen.length > 30, `the walk of 20 pages of 3 saw ${seen.length} pets, and never a new one`);
      const since = seen.filter(({ id }) => !known.has(id));
      const wanted = inOrder(created).filter(({ id }) => ids(since).includes(id));
      assert.deepEqual(since, wanted, "those pets of the walk that were created meanwhile");
    },
  }),
  contractCase({
    name: "reads no more than it answers",
    rule: "The cost of an operation depends on `limit`, not on how many pets there are.",
    needs: ["petsRead"],
    async check(pets, { storage }) {
      const all = await createPets(pets, 600, FEW_SOLD);
      const middle = (all[300] as Pet).id;
      const asked: Record<string, () => Promise<unknown>> = {
        "list of the first 5": () => list(pets, { limit: 5 }),
        "list of 5 in the middle": () => list(pets, { limit: 5, after: middle }),
        "list of the first 5 that are sold": () => list(pets, { limit: 5, status: "sold" }),
        "list of 5 sold ones in the middle": () => list(pets, { limit: 5, status: "sold", after: middle }),
        "list of pending pets, of which there is none": () => list(pets, { limit: 5, status: "pending" }),
        get: () => pets.get(middle),
        "create with a record": () => pets.create(somePet(), recordOf("key")),
        "create under the same key": () => pets.create(somePet(), recordOf("key")),
        ping: () => pets.ping(),
      };
      for (const [what, ask] of Object.entries(asked)) {
        const before = Number(await storage.petsRead?.());
        await ask();
        const read = Number(await storage.petsRead?.()) - before;
        assert(read <= 5 + SLACK, `the ${what} read ${read} of 600 pets`);
      }
    },
  }),
];
