import assert from "node:assert/strict";
import { type NewPet, PET_STATUSES, type Pet } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { same, samePet, samePets, show } from "../expect.js";
import { AWKWARD_INT64S, AWKWARD_NAMES, atOnce, ids, inOrder, list, listAll, somePet } from "../samples.js";

/** Cases: a storage stores pets exactly as they were sent. */
export const VALUE_CASES: readonly ContractCase[] = [
  contractCase({
    name: "answers what was sent",
    rule: "create answers the pet as it was sent, with its id, and says that it replayed nothing.",
    async check(pets) {
      for (const status of PET_STATUSES) {
        const sent = somePet({ status });
        const { pet, replayed } = await pets.create(sent);
        same(replayed, undefined, "replayed");
        samePet(pet, { ...sent, id: pet.id }, "the answer to create");
      }
    },
  }),
  contractCase({
    name: "shows a pet at once",
    rule: "A pet that create answered is shown by every later get and list, from that moment on.",
    async check(pets) {
      const created = await atOnce(60, async (n) => {
        const status = PET_STATUSES[n % 3] as Pet["status"];
        const { pet } = await pets.create(somePet({ categoryId: BigInt(n), status }));
        samePet(await pets.get(pet.id), pet, "get of a pet just created");
        for (const filter of [undefined, status]) {
          const [listed] = await list(pets, { status: filter, after: pet.id - 1n, limit: 1 });
          samePet(listed, pet, `list by ${filter ?? "any"} status of a pet just created`);
        }
        return pet;
      });
      samePets(await listAll(pets), inOrder(created), "the list of all pets");
    },
  }),
  contractCase({
    name: "copies what goes in",
    rule: "Pets go in by value: create stores the object as it was at the call, whatever the caller does to it later.",
    async check(pets) {
      const sent = { name: "Rex", categoryId: 1n, status: "sold" } satisfies NewPet;
      const record = { key: "key", fingerprint: "fingerprint" };
      const creating = pets.create(sent, record);
      Object.assign(sent, { name: "changed", categoryId: 2n, status: "pending" });
      Object.assign(record, { key: "changed", fingerprint: "changed" });
      const { pet } = await creating;
      samePet(pet, { id: pet.id, name: "Rex", categoryId: 1n, status: "sold" }, "the answer to create");
      Object.assign(sent, { name: "changed again" });
      samePet(await pets.get(pet.id), pet, "the stored pet");
      const { replayed } = await pets.create(somePet(), { key: "key", fingerprint: "other" });
      same(replayed, "fingerprint", "the fingerprint that was stored");
    },
  }),
  contractCase({
    name: "hands out copies",
    rule: "Pets come out by value: a caller cannot change a stored pet through an object that it holds.",
    async check(pets) {
      const record = { key: "key", fingerprint: "fingerprint" };
      const { pet } = await pets.create(somePet(), record);
      const before = { ...pet };
      const listed = await listAll(pets);
      const byStatus = await list(pets, { status: before.status });
      const answers = [pet, await pets.get(before.id), (await pets.create(somePet(), record)).pet];
      for (const answer of [...answers, ...listed, ...byStatus]) spoil(answer);
      for (const array of [listed, byStatus]) array.length = 0;
      samePet(await pets.get(before.id), before, "get, after answers were changed,");
      samePets(await listAll(pets), [before], "list, after answers were changed,");
      samePets(await list(pets, { status: before.status }), [before], "list by status, after a change,");
      samePet((await pets.create(somePet(), record)).pet, before, "a replay, after answers were changed,");
    },
  }),
  contractCase({
    name: "takes no id from outside",
    rule: "The storage assigns the id, and a pet has only its four members, whatever else the sent object has.",
    async check(pets) {
      const sent = { ...somePet(), id: 77n, _id: 78n, colour: "brown" };
      const { pet } = await pets.create(sent);
      const { pet: second } = await pets.create(sent);
      const expected = { ...somePet(), id: pet.id };
      samePet(pet, expected, "the answer to a create with more members");
      samePet(await pets.get(pet.id), expected, "the stored pet");
      assert.notEqual(second.id, pet.id, `two pets got the id ${pet.id}, which was sent with them`);
    },
  }),
  contractCase({
    name: "keeps twins apart",
    rule: "Pets that are alike in everything are two pets.",
    async check(pets) {
      const { pet: first } = await pets.create(somePet());
      const { pet: second } = await pets.create(somePet());
      samePets(await listAll(pets), inOrder([first, second]), "the list of both");
      same(new Set(ids([first, second])).size, 2, "the number of ids");
    },
  }),
  contractCase({
    name: "is exact in int64",
    rule: "A categoryId is exact over the whole range of int64.",
    async check(pets) {
      for (const categoryId of AWKWARD_INT64S) {
        const { pet } = await pets.create(somePet({ categoryId }));
        same(pet.categoryId, categoryId, "the categoryId that create answers");
        same((await pets.get(pet.id))?.categoryId, categoryId, "the categoryId that get answers");
      }
      const listed = (await listAll(pets)).map(({ categoryId }) => categoryId);
      for (const categoryId of AWKWARD_INT64S) {
        assert(listed.includes(categoryId), `list shows no categoryId ${categoryId}: ${show(listed)}`);
      }
    },
  }),
  contractCase({
    name: "is exact in names",
    rule: "The storage keeps a name code unit for code unit.",
    async check(pets) {
      for (const [what, name] of Object.entries(AWKWARD_NAMES)) {
        const { pet } = await pets.create(somePet({ name }), { key: what.slice(0, 64), fingerprint: "f" });
        same(pet.name, name, `the name that create answers, with ${what},`);
        same((await pets.get(pet.id))?.name, name, `the name that get answers, with ${what},`);
        const [listed] = await list(pets, { after: pet.id - 1n, limit: 1 });
        same(listed?.name, name, `the name that list answers, with ${what},`);
        const { pet: again } = await pets.create(pet, { key: what.slice(0, 64), fingerprint: "f" });
        same(again.name, name, `the name that a replay answers, with ${what},`);
      }
    },
  }),
];

/** Tries to change a pet in place. A frozen pet stays as it is, which keeps the rule as well. */
function spoil(pet: Pet | undefined): void {
  if (pet) for (const name of ["id", "name", "status"]) Reflect.set(pet, name, "spoilt");
}
