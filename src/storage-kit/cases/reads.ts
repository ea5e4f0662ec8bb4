import assert from "node:assert/strict";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import { INT64_MAX, INT64_MIN } from "../../domain/int64.js";
import { PET_STATUSES, type Pet } from "../../domain/pet.js";
import type { Case, Instance } from "../contract-case.js";
import {
  atOnce,
  create,
  createPets,
  expectGet,
  expectList,
  get,
  ids,
  inOrder,
  list,
  recordOf,
  somePet,
} from "../samples.js";
import { expectSame } from "../seen.js";

const FEW_SOLD = ["sold", ...Array<"available">(9).fill("available")] as const;

/**
 * How many pets to compare with a few, how much longer the quickest answer may take with them, in milliseconds, and for
 * how long it is looked for: a busy machine makes an answer slow, but not each one for so long.
 */
const MANY = { pets: 20_000, longer: 25, patience: 3_000 };

/** How long to create so many, if the storage has no archive, in milliseconds. */
const FILLING = 15_000;

/** Fills a storage, as far as it gets in time. Each pet has a record, so that an index of keys counts. */
async function fill({ pets, archive }: Instance): Promise<void> {
  const record = (n: number) => recordOf(`fill ${n}`);
  const first = Number(await archive?.highestId()) + 1;
  const end = performance.now() + FILLING;
  for (let n = 0; n < MANY.pets && performance.now() < end; n += archive ? 1000 : 50) {
    if (!archive) await atOnce(50, (index) => create(pets, {}, record(n + index)));
    await archive?.storePets(
      Array.from({ length: 1000 }, (_, index) => ({
        pet: { ...somePet(), id: BigInt(first + n + index) },
        record: record(n + index),
      })),
    );
  }
}

/** Asks some calls once each, and keeps the shortest time that each has taken so far, in milliseconds. */
async function timeCalls(pets: PetRepository, id: bigint, shortest: Map<string, number>): Promise<void> {
  const calls = {
    [`get(${id}n)`]: () => get(pets, id),
    [`list(…), after ${id},`]: () => list(pets, { after: id, limit: 20 }),
    "list(…), by a status that few pets have,": () => list(pets, { status: "sold", limit: 20 }),
    "create(…), which repeats an earlier one,": () => create(pets, {}, recordOf("key")),
  };
  for (const [call, ask] of Object.entries(calls)) {
    const begun = performance.now();
    await ask();
    shortest.set(call, Math.min(shortest.get(call) ?? Infinity, performance.now() - begun));
  }
}

/** Cases: `get` and `list`. */
export const READ_CASES: readonly Case[] = [
  {
    name: "answers undefined for no pet",
    rule: "get answers undefined for any int64 that is no pet's id, and a new storage has no pet.",
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
    name: "costs no more with many pets",
    rule: "What get, list and a repeated create cost depends on how many pets they answer, not on how many there are.",
    async check(instance) {
      const { pets } = instance;
      const { id } = await create(pets, { status: "sold" }, recordOf("key"));
      await createPets(pets, 99, ["available"]);
      const few = new Map<string, number>();
      const many = new Map<string, number>();
      for (let round = 0; round < 10; round++) await timeCalls(pets, id, few);
      await fill(instance);
      const bound = (call: string) => 5 * (few.get(call) as number) + MANY.longer;
      const end = performance.now() + MANY.patience;
      do await timeCalls(pets, id, many);
      while ([...many].some(([call, took]) => took > bound(call)) && performance.now() < end);
      for (const [call, took] of many) {
        const times = `${took.toFixed(1)} ms with ${MANY.pets} pets, expected at most ${bound(call).toFixed(1)} ms`;
        assert(took <= bound(call), `${call} took ${times}, by what it takes with 100`);
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
