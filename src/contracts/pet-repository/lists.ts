import assert from "node:assert/strict";
import { INT64_MAX, INT64_MIN, PET_STATUSES, type Pet } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { same, samePet, samePets } from "../expect.js";
import { createMany, createPets, ids, inOrder, list, listAll, somePet } from "../samples.js";

/** Cases: the answers of `list`. */
export const LIST_CASES: readonly ContractCase[] = [
  contractCase({
    name: "lists by id",
    rule: "list is in ascending order of id, as a number.",
    async check(pets) {
      const created = await createPets(pets, 12);
      samePets(await listAll(pets), inOrder(created), "the list of 12 pets");
    },
  }),
  contractCase({
    name: "lists by status",
    rule: "list shows only pets with the status that is asked for, and all of them.",
    async check(pets) {
      const created = inOrder(await createPets(pets, 10));
      for (const status of PET_STATUSES) {
        const wanted = created.filter((pet) => pet.status === status);
        samePets(await list(pets, { status }), wanted, `the list of ${status} pets`);
      }
    },
  }),
  contractCase({
    name: "lists after an id",
    rule: "list shows only pets whose id is greater than `after`, which may be any int64.",
    async check(pets) {
      const created = inOrder(await createPets(pets, 9));
      const last = created.at(-1) as Pet;
      for (const after of [INT64_MIN, -1n, 0n, ...ids(created), last.id + 1n, 2n ** 53n + 1n, INT64_MAX]) {
        for (const status of [undefined, ...PET_STATUSES]) {
          const wanted = created.filter(
            (pet) => pet.id > after && (status === undefined || pet.status === status),
          );
          const what = `the list of ${status ?? "all"} pets after ${after}`;
          samePets(await list(pets, { status, after }), wanted, what);
        }
      }
    },
  }),
  contractCase({
    name: "fills a page",
    rule: "list answers `limit` pets; fewer only if there are no more.",
    async check(pets) {
      const created = inOrder(await createPets(pets, 6, ["sold"]));
      for (const status of [undefined, "sold"] as const) {
        for (const limit of [1, 2, 5, 6, 7, 101]) {
          const what = `the list of ${status ?? "all"} pets with limit ${limit}`;
          samePets(await list(pets, { status, limit }), created.slice(0, limit), what);
        }
      }
    },
  }),
  contractCase({
    name: "fills a page from afar",
    rule: "list fills the page even if pets with the status are few and far between.",
    async check(pets) {
      const statuses = ["sold", ...Array<"available">(9).fill("available")] as const;
      const created = inOrder(await createPets(pets, 60, statuses));
      const sold = created.filter((pet) => pet.status === "sold");
      samePets(
        await list(pets, { status: "sold", limit: 5 }),
        sold.slice(0, 5),
        "the first page of sold pets",
      );
      const after = (sold[1] as Pet).id;
      samePets(
        await list(pets, { status: "sold", limit: 5, after }),
        sold.slice(2),
        "the page after the second",
      );
    },
  }),
  contractCase({
    name: "knows no greatest limit",
    rule: "list takes any limit from 1, beyond what HTTP asks for.",
    async check(pets) {
      const created = await createMany(pets, 1_050);
      for (const limit of [1_001, 1_049, 1_050, 1_051, 100_000, 2 ** 31]) {
        const wanted = created.slice(0, limit);
        samePets(await list(pets, { limit }), wanted, `the list with limit ${limit}`);
        const available = await list(pets, { status: "available", limit });
        samePets(available, wanted, `the list of available pets with limit ${limit}`);
      }
    },
  }),
  contractCase({
    name: "loses no pet in a walk",
    rule: "A walk through the list sees a pet that exists all the while exactly once, whatever is created meanwhile.",
    async check(pets) {
      const before = await createPets(pets, 30);
      const created: Pet[] = [];
      const createOne = async () => created.push((await pets.create(somePet())).pet);
      const seen: Pet[] = [];
      // Two pets arrive with each page of three, so the walk reaches pets that it has seen arrive.
      for (let round = 0; round < 20; round++) {
        const after = seen.at(-1)?.id ?? 0n;
        const [page] = await Promise.all([list(pets, { limit: 3, after }), createOne(), createOne()]);
        seen.push(...page);
      }
      same(new Set(ids(seen)).size, seen.length, "the number of pets seen, each counted once,");
      samePets(seen, inOrder(seen), "the walk");
      const earlier = new Set(ids(before));
      samePets(
        seen.filter(({ id }) => earlier.has(id)),
        inOrder(before),
        "those pets of the walk that were there before it",
      );
      assert(seen.length > 30, `the walk of 20 pages of 3 saw ${seen.length} pets, and never a new one`);
      for (const pet of seen.filter(({ id }) => !earlier.has(id))) {
        samePet(
          created.find(({ id }) => id === pet.id),
          pet,
          "a pet seen that was created meanwhile",
        );
      }
    },
  }),
];
