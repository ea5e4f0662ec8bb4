import assert from "node:assert/strict";
import { type ContractCase, contractCase } from "../contract-case.js";
import { same, samePets, show } from "../expect.js";
import { atOnce, createPets, ids, inOrder, listAll, somePet } from "../samples.js";

/** Cases: the ids that a storage gives. */
export const ID_CASES: readonly ContractCase[] = [
  contractCase({
    name: "gives ids as bigints in range",
    rule: "Ids are bigints, from 1 upwards and below 2^53.",
    async check(pets) {
      for (const id of ids(await createPets(pets, 5))) {
        assert(typeof id === "bigint", `an id is of type ${typeof id}`);
        assert(id >= 1n && id < 2n ** 53n, `an id is ${id}`);
      }
    },
  }),
  contractCase({
    name: "gives an id once",
    rule: "An id is given once, by any number of callers at once; each is answered its own pet.",
    async check(pets) {
      const creations = await atOnce(200, (n) => pets.create(somePet({ categoryId: BigInt(n) })));
      const created = creations.map(({ pet }) => pet);
      same(new Set(ids(created)).size, 200, "the number of ids given to 200 creates at once");
      created.forEach(({ categoryId }, n) => {
        same(categoryId, BigInt(n), `the categoryId answered to caller ${n}`);
      });
      samePets(await listAll(pets), inOrder(created), "the list of all pets");
    },
  }),
  contractCase({
    name: "gives no id of a pet that is gone",
    rule: "An id is never given again, not even after its pet is gone.",
    needs: ["deletePet"],
    async check(pets, { storage, reopen }) {
      const created = await createPets(pets, 3);
      const gone = inOrder(created).slice(1);
      for (const { id } of gone) {
        await storage.deletePet?.(id);
        same(await pets.get(id), undefined, "get of a pet that was deleted");
      }
      const { pet } = await pets.create(somePet());
      assert(!ids(created).includes(pet.id), `the id ${pet.id} was given again after its pet was deleted`);
      await storage.deletePet?.(pet.id);
      if (!storage.reopen) return;
      await pets.close();
      const { pet: later } = await (await reopen()).create(somePet());
      const given = ids([...created, pet]);
      assert(
        !given.includes(later.id),
        `after a restart the id ${later.id} of a pet that is gone was given again`,
      );
    },
  }),
  contractCase({
    name: "gives no id again after a restart",
    rule: "An id is never given again, not even after any number of restarts.",
    needs: ["reopen"],
    async check(pets, { reopen }) {
      const given: bigint[] = ids(await createPets(pets, 2));
      await pets.close();
      for (let round = 1; round <= 5; round++) {
        const next = await reopen();
        given.push(...ids(await createPets(next, 2)));
        same(
          new Set(given).size,
          given.length,
          `the number of ids after restart ${round}, of ${show(given)},`,
        );
        await next.close();
      }
    },
  }),
];
