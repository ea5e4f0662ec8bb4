import assert from "node:assert/strict";
import { asArchive } from "../../application/ports/pet-archive.js";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { atOnce, create, createPets, ids, inOrder, list } from "../samples.js";

/** Creates 200 pets at once, on these instances in turn. Asserts that each gets an id of its own, and is stored. */
async function createAtOnce(...instances: [PetRepository, ...PetRepository[]]): Promise<void> {
  const created = await atOnce(200, (n) =>
    create(instances[n % instances.length] as PetRepository, { categoryId: BigInt(n) }),
  );
  for (const [n, { id, categoryId }] of created.entries()) {
    assert(typeof id === "bigint" && id >= 1n && id < 2n ** 53n, `an id is ${id}, of type ${typeof id}`);
    assert.equal(categoryId, BigInt(n), `the categoryId answered to caller ${n}`);
  }
  assert.equal(new Set(ids(created)).size, 200, "the number of ids given to 200 creates at once");
  assert.deepEqual(await list(instances[0]), inOrder(created), "the list of all pets");
}

/** Cases: the ids that a storage gives. */
export const ID_CASES: readonly ContractCase[] = [
  contractCase({
    name: "gives an id once",
    rule: "Ids are bigints, from 1 upwards and below 2^53; any number of callers at once get each an id of their own, and their own pet.",
    check: (pets) => createAtOnce(pets),
  }),
  contractCase({
    name: "gives an id once among instances",
    rule: "An id is given once, by any number of processes at once, and no pet is lost.",
    needs: ["shared", "reopen"],
    check: async (pets, { reopen }) => createAtOnce(pets, await reopen()),
  }),
  contractCase({
    name: "gives no id again after a restart",
    rule: "An id is never given again, not even after any number of restarts.",
    needs: ["reopen"],
    async check(pets, { reopen, close }) {
      const given: bigint[] = ids(await createPets(pets, 2));
      await close(pets);
      for (let round = 1; round <= 5; round++) {
        const next = await reopen();
        given.push(...ids(await createPets(next, 2)));
        await close(next);
        const what = `the number of ids after restart ${round}, of ${given.join(", ")},`;
        assert.equal(new Set(given).size, given.length, what);
      }
    },
  }),
  contractCase({
    name: "gives no id of a pet that is gone",
    rule: "An id is never given again, not even after its pet is gone, and the highestId of an archive counts it.",
    needs: ["deletePet"],
    async check(pets, { storage, reopen, close }) {
      const created = await createPets(pets, 3);
      for (const { id } of created.slice(1)) {
        await storage.deletePet?.(id);
        assert.equal(await pets.get(id), undefined, "get of a pet that was deleted");
      }
      const highest = await asArchive(pets)?.highestId();
      assert(highest === undefined || highest >= (ids(created)[2] as bigint), `highestId is ${highest}`);
      const next = await create(pets);
      assert(!ids(created).includes(next.id), `the id ${next.id} was given again after its pet was deleted`);
      await storage.deletePet?.(next.id);
      if (!storage.reopen) return;
      await close(pets);
      const later = await create(await reopen());
      assert(
        !ids([...created, next]).includes(later.id),
        `after a restart the id ${later.id} of a pet that is gone was given again`,
      );
    },
  }),
];
