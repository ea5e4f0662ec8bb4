import assert from "node:assert/strict";
import { LAST_ID } from "../../domain/pet.js";
import type { Case, Instance } from "../contract-case.js";
import { atOnce, create, createPets, ids, inOrder, list } from "../samples.js";

/** Cases: the ids that a storage gives. */
export const ID_CASES: readonly Case[] = [
  {
    name: "gives an id once",
    rule: "Ids are bigints, from 1 upwards and below 2^53; any number of callers and processes at once get each an id of their own, and their own pet.",
    async check({ pets }, { storage, reopen }) {
      const other = storage.shared ? (await reopen()).pets : pets;
      const created = await atOnce(200, (n) => create(n % 2 ? other : pets, { categoryId: BigInt(n) }));
      for (const [n, { id, categoryId }] of created.entries()) {
        assert(typeof id === "bigint" && id >= 1n && id <= LAST_ID, `an id is ${id}, of type ${typeof id}`);
        assert.equal(categoryId, BigInt(n), `the categoryId answered to caller ${n}`);
      }
      assert.equal(new Set(ids(created)).size, 200, "the number of ids given to 200 creates at once");
      assert.deepEqual(await list(pets), inOrder(created), "the list of all pets");
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
        const what = `the number of ids after restart ${round}, of ${given.join(", ")},`;
        assert.equal(new Set(given).size, given.length, what);
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
      assert.equal(await pets.get(highest), undefined, "get of a pet that was deleted");
      const told = await archive?.highestId();
      assert(
        told === undefined || told >= highest,
        `highestId is ${told}, after the pet ${highest} was deleted`,
      );
      const next = await create(pets);
      assert(!given.includes(next.id), `the id ${next.id} was given again after its pet was deleted`);
      await storage.deletePet?.(next.id);
      if (!storage.reopen) return;
      const { id } = await create((await restart(instance)).pets);
      assert(
        ![...given, next.id].includes(id),
        `after a restart the id ${id} of a pet that is gone was given again`,
      );
    },
  },
];
