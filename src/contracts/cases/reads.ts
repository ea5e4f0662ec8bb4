import assert from "node:assert/strict";
import { INT64_MAX, INT64_MIN } from "../../domain/int64.js";
import { PET_STATUSES, type Pet } from "../../domain/pet.js";
import type { Case } from "../contract-case.js";
import { create, createPets, expectGet, expectList, ids, inOrder, list } from "../samples.js";
import { expectSame } from "../seen.js";

const FEW_SOLD = ["sold", ...Array<"available">(9).fill("available")] as const;

/** Cases: `get` and `list`. */
export const READ_CASES: readonly Case[] = [
  {
    name: "answers undefined for no pet",
    rule: "get answers undefined for any int64 that is no pet's id, and a new storage has no pet.",
    simple: true,
    async check({ pets }) {
      await expectGet(pets, 1n, undefined, ", of a new storage,");
      await expectList(pets, {}, [], ", of a new storage,");
      await expectList(pets, { status: "sold" }, [], ", of a new storage,");
      const { id } = await create(pets);
      // Some of these become the pet's own id if a storage cuts them to 32 bits or rounds them to a double.
      const near = [id - 1n, -id, id + 10_000_000n, id + 2n ** 32n, id + INT64_MIN, id + 2n ** 53n];
      for (const absent of [...near, 0n, -1n, 2n ** 53n + 1n, 2n ** 62n, INT64_MIN, INT64_MAX]) {
        await expectGet(pets, absent, undefined, `, with one pet, whose id is ${id},`);
      }
    },
  },
  {
    name: "lists by id",
    rule: "list answers the first `limit` pets of the status that is asked for, or of any, whose id is greater than `after`, any int64, in ascending order of id as a number; fewer only if there are no more. It takes any limit from 1.",
    simple: true,
    async check({ pets }) {
      const all = await createPets(pets, 1_050, FEW_SOLD);
      const [first, second, ...rest] = ids(all) as [bigint, bigint, ...bigint[]];
      const last = rest.at(-1) as bigint;
      const afters = [first, second, rest[500] as bigint, last - 1n, last, 2n ** 53n + 1n, INT64_MAX];
      for (const status of [undefined, ...PET_STATUSES]) {
        for (const after of [INT64_MIN, -1n, 0n, ...afters]) {
          for (const limit of [1, 2, 5, 101, 1_001, 2 ** 31]) {
            const wanted = all.filter((pet) => pet.id > after && (!status || pet.status === status));
            await expectList(pets, { status, after, limit }, wanted.slice(0, limit));
          }
        }
      }
    },
  },
  {
    name: "loses no pet in a walk",
    rule: "A walk through the list sees a pet that exists all the while exactly once, whatever is created meanwhile.",
    async check({ pets }) {
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
      const found = new Set(ids(seen));
      expectSame("list(…), page by page: the number of pets, each counted once,", found.size, seen.length);
      assert(seen.length > 30, `list(…), in 20 pages of 3, showed ${seen.length} pets, and never a new one`);
      const wanted = [...before, ...inOrder(created).filter(({ id }) => found.has(id))];
      expectSame("list(…), page by page,", seen, inOrder(wanted));
    },
  },
];
