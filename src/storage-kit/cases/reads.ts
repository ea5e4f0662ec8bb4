import assert from "node:assert/strict";
import { INT64_MAX, INT64_MIN, PET_STATUSES, type Pet } from "../../domain/pet.js";
import { create, createMany, idsOf, inOrder, list, same } from "../checks.js";
import type { Case } from "../contract-case.js";

export const READ_CASES: readonly Case[] = [
  {
    name: "answers undefined for no pet",
    rule: "A new storage is empty, and get resolves to undefined for any int64 that is not the id of a pet.",
    async check({ pets }) {
      same(await pets.get(1n), undefined);
      same(await list(pets), []);
      const { id } = await create(pets);
      // Truncated to 32 bits or rounded to a double, some of these are the pet's own id.
      const near = [id - 1n, -id, id + 10_000_000n, id + 2n ** 32n, id + INT64_MIN, id + 2n ** 53n];
      for (const absent of [...near, 0n, -1n, 2n ** 53n + 1n, 2n ** 62n, INT64_MIN, INT64_MAX]) {
        same(await pets.get(absent), undefined);
      }
    },
  },
  {
    name: "lists by id",
    rule: "list resolves to the first `limit` pets of the given status, or of any, whose id is greater than `after`, in ascending order of id; fewer only if there are no more. It takes any int64 as `after`, and any limit from 1.",
    async check({ pets }) {
      const all = await createMany(pets, 1_050);
      const some = [0, 1, 500, 1_048, 1_049].map((index) => all[index]?.id ?? 0n);
      for (const status of [undefined, ...PET_STATUSES]) {
        for (const after of [INT64_MIN, -1n, 0n, ...some, 2n ** 53n + 1n, INT64_MAX]) {
          const wanted = all.filter((pet) => pet.id > after && (!status || pet.status === status));
          for (const limit of [1, 2, 5, 101, 1_001, 2 ** 31]) {
            same(await list(pets, { status, after, limit }), wanted.slice(0, limit));
          }
        }
      }
    },
  },
  {
    name: "loses no pet in a walk",
    rule: "A walk through the list, page by page, sees a pet that exists throughout exactly once, whatever is created meanwhile.",
    async check({ pets }) {
      const before = await createMany(pets, 30);
      const created: Pet[] = [];
      const createOne = async () => created.push(await create(pets));
      const seen: Pet[] = [];
      // Two pets are created per page of three, so the walk catches up with them.
      for (let page = 0; page < 20; page++) {
        const range = { after: seen.at(-1)?.id ?? 0n, limit: 3 };
        const [found] = await Promise.all([list(pets, range), createOne(), createOne()]);
        seen.push(...found);
      }
      assert(seen.length > 30, `list(…) showed ${seen.length} pets in 20 pages of 3, and never a new one`);
      const ids = idsOf(seen);
      same(seen, inOrder([...before, ...created.filter(({ id }) => ids.includes(id))]));
    },
  },
];
