import assert from "node:assert/strict";
import { LAST_ID } from "../../domain/pet.js";
import type { Case, Instance } from "../contract-case.js";
import { atOnce, create, createPets, expectGet, expectList, ids, inOrder } from "../samples.js";
import { expectSame } from "../seen.js";

/** Cases: the ids that a storage gives. */
export const ID_CASES: readonly Case[] = [
  {
    name: "gives an id once",
    rule: "Ids are bigints, from 1 upwards and below 2^53; any number of callers and processes at once get each an id of their own, and their own pet.",
    async check({ pets }, { storage, reopen }) {
      const other = storage.shared ? (await reopen()).pets : pets;
      const created = await atOnce(200, (n) => create(n % 2 ? other : pets, { categoryId: BigInt(n) }));
      for (const [n, { id, categoryId }] of created.entries()) {
        const right = typeof id === "bigint" && id >= 1n && id <= LAST_ID;
        assert(right, `create(…) gave the id ${id}, of type ${typeof id}`);
        expectSame(
          `create(…), asked by 200 callers at once: the categoryId of caller ${n}`,
          categoryId,
          BigInt(n),
        );
      }
      const number = new Set(ids(created)).size;
      expectSame("create(…), asked by 200 callers at once: the number of ids", number, 200);
      await expectList(pets, {}, inOrder(created));
    },
  },
  {
    name: "gives no id again after a restart",
    rule: "An id is never given again, not even after any number of restarts.",
    needs: ["reopen"],
    async check(instance, { restart }) {
      const given = ids(await createPets(instance.pets, 2));
      let later: Instance = instance;
      for (let round = 1; round <= 5; round++) {
        later = await restart(later);
        given.push(...ids(await createPets(later.pets, 2)));
        const what = `create(…), after restart ${round}, with ${given.join(", ")}: the number of ids`;
        expectSame(what, new Set(given).size, given.length);
      }
    },
  },
  {
    name: "gives no id of a pet that is gone",
    rule: "An id is never given again, not even after its pet is gone, and the highestId of an archive counts it.",
    needs: ["deletePet"],
    async check(instance, { storage, restart }) {
      const { pets, archive } = instance;
      const given = ids(await createPets(pets, 3));
      const highest = given.at(-1) as bigint;
      for (const id of given.slice(1)) await storage.deletePet?.(id);
      await expectGet(pets, highest, undefined, ", of a pet that was deleted,");
      const told = await archive?.highestId();
      assert(
        told === undefined || told >= highest,
        `highestId() is ${told}, after the pet ${highest} was deleted`,
      );
      const next = await create(pets);
      assert(!given.includes(next.id), `create(…) gave the id ${next.id} again after its pet was deleted`);
      await storage.deletePet?.(next.id);
      if (!storage.reopen) return;
      const { id } = await create((await restart(instance)).pets);
      assert(
        ![...given, next.id].includes(id),
        `create(…), after a restart, gave the id ${id} of a pet that is gone again`,
      );
    },
  },
];
