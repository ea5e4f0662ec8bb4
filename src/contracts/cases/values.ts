import assert from "node:assert/strict";
import { type NewPet, PET_STATUSES, type Pet } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import {
  AWKWARD_INT64S,
  AWKWARD_NAMES,
  atOnce,
  create,
  get,
  ids,
  inOrder,
  list,
  plain,
  recordOf,
  somePet,
} from "../samples.js";

/** Cases: a storage keeps pets exactly as they were sent. */
export const VALUE_CASES: readonly ContractCase[] = [
  contractCase({
    name: "answers what was sent",
    rule: "create answers the pet as it was sent, with an id that the storage gives; of a sent object it stores the members of a pet alone, and of two that are alike it makes two pets.",
    async check(pets) {
      const created: Pet[] = [];
      for (const status of [...PET_STATUSES, ...PET_STATUSES]) {
        const sent = somePet({ status });
        const { pet, replayed } = await pets.create({ ...sent, ...{ id: 77n, _id: 78n, colour: "brown" } });
        assert.deepEqual(plain(pet), { ...sent, id: pet.id }, "the answer to create");
        assert.equal(replayed, undefined, "replayed, of a create without a record,");
        created.push(plain(pet));
      }
      assert.equal(new Set(ids(created)).size, 6, "the number of ids of six pets, sent with the same id,");
      assert.deepEqual(await list(pets), inOrder(created), "the list of all pets");
    },
  }),
  contractCase({
    name: "shows a pet at once",
    rule: "A pet that create answered is shown by every later get and list, from that moment on.",
    async check(pets) {
      const created = await atOnce(60, async (n) => {
        const status = PET_STATUSES[n % 3] as Pet["status"];
        await list(pets, { limit: 1, status });
        const pet = await create(pets, { categoryId: BigInt(n), status });
        assert.deepEqual(await get(pets, pet.id), pet, "get of a pet just created");
        for (const filter of [undefined, status]) {
          const listed = await list(pets, { status: filter, after: pet.id - 1n, limit: 1 });
          assert.deepEqual(
            listed,
            [pet],
            `the list by ${filter ?? "any"} status, from a pet just created on,`,
          );
        }
        return pet;
      });
      assert.deepEqual(await list(pets), inOrder(created), "the list of all pets");
    },
  }),
  contractCase({
    name: "copies what goes in",
    rule: "Pets go in by value: create stores the object as it was at the call, whatever the caller does to it later.",
    async check(pets) {
      const sent = { name: "Rex", categoryId: 1n, status: "sold" } satisfies NewPet;
      const record = recordOf("key");
      const creating = pets.create(sent, record);
      Object.assign(sent, { name: "changed", categoryId: 2n, status: "pending" });
      Object.assign(record, recordOf("changed", "changed"));
      const { id } = (await creating).pet;
      Object.assign(sent, { name: "changed again" });
      const expected = { id, name: "Rex", categoryId: 1n, status: "sold" };
      assert.deepEqual(await get(pets, id), expected, "the stored pet");
      const { replayed } = await pets.create(somePet(), recordOf("key", "other"));
      assert.equal(replayed, "fingerprint", "the fingerprint that was stored");
    },
  }),
  contractCase({
    name: "hands out copies",
    rule: "Pets come out by value: a caller cannot change a stored pet through an object that it holds.",
    async check(pets) {
      const { pet } = await pets.create(somePet(), recordOf("key"));
      const before = plain(pet);
      const page = { after: 0n, limit: 10 };
      const listed = await pets.list({ status: undefined, ...page });
      const byStatus = await pets.list({ status: before.status, ...page });
      const again = (await pets.create(somePet(), recordOf("key"))).pet;
      for (const answer of [pet, await pets.get(before.id), again, ...listed, ...byStatus]) {
        // A frozen pet stays as it is, which keeps the rule as well.
        for (const name of ["id", "name", "status"]) Reflect.set(answer as Pet, name, "spoilt");
      }
      for (const array of [listed, byStatus]) array.length = 0;
      assert.deepEqual(await get(pets, before.id), before, "get, after answers were changed,");
      assert.deepEqual(await list(pets), [before], "the list, after answers were changed,");
      assert.deepEqual(await list(pets, { status: before.status }), [before], "the list by status");
      const { pet: replay } = await pets.create(somePet(), recordOf("key"));
      assert.deepEqual(plain(replay), before, "a replay, after answers were changed,");
    },
  }),
  contractCase({
    name: "is exact in int64",
    rule: "A categoryId is exact over the whole range of int64.",
    async check(pets) {
      for (const categoryId of AWKWARD_INT64S) {
        const pet = await create(pets, { categoryId });
        assert.equal(pet.categoryId, categoryId, "the categoryId that create answers");
        assert.equal((await get(pets, pet.id))?.categoryId, categoryId, "the categoryId that get answers");
        const [listed] = await list(pets, { after: pet.id - 1n, limit: 1 });
        assert.equal(listed?.categoryId, categoryId, "the categoryId that list answers");
      }
    },
  }),
  contractCase({
    name: "is exact in names",
    rule: "The storage keeps a name code unit for code unit.",
    async check(pets) {
      for (const [what, name] of Object.entries(AWKWARD_NAMES)) {
        const record = recordOf(what.slice(0, 64));
        const { pet } = await pets.create(somePet({ name }), record);
        assert.equal(pet.name, name, `the name that create answers, with ${what},`);
        assert.equal((await get(pets, pet.id))?.name, name, `the name that get answers, with ${what},`);
        const [listed] = await list(pets, { after: pet.id - 1n, limit: 1 });
        assert.equal(listed?.name, name, `the name that list answers, with ${what},`);
        const { pet: again } = await pets.create(somePet(), record);
        assert.equal(again.name, name, `the name that a replay answers, with ${what},`);
      }
    },
  }),
];
