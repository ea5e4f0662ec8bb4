import type { PetRepository } from "../../application/ports/pet-repository.js";
import { type NewPet, PET_STATUSES, type Pet, type PetStatus } from "../../domain/pet.js";
import type { Case } from "../contract-case.js";
import {
  AWKWARD_INT64S,
  AWKWARD_NAMES,
  atOnce,
  create,
  createWith,
  expectGet,
  expectList,
  expectReplayed,
  expectShown,
  ids,
  inOrder,
  list,
  plain,
  recordOf,
  somePet,
} from "../samples.js";
import { callText, expectSame } from "../seen.js";

/** Asserts that every answer has the value of a sent member exactly. */
async function keeps(pets: PetRepository, parts: Partial<NewPet>, what: string): Promise<void> {
  const record = recordOf(what.slice(0, 64));
  const sent = somePet(parts);
  const pet = await create(pets, sent, record);
  expectSame(`${callText("create", [sent])}, with ${what},`, pet, { ...sent, id: pet.id });
  await expectShown(pets, pet, `, with ${what},`);
  await expectReplayed(pets, pet, record, `, with ${what}`);
}

/** Cases: a storage keeps pets exactly as they were sent. */
export const VALUE_CASES: readonly Case[] = [
  {
    name: "answers what was sent",
    rule: "create answers the pet as it was sent, with an id that the storage gives; of a sent object it stores the members of a pet alone, and of two that are alike it makes two pets.",
    async check({ pets }) {
      const created: Pet[] = [];
      for (const status of [...PET_STATUSES, ...PET_STATUSES]) {
        const sent = somePet({ status });
        const more = { ...sent, ...{ id: 77n, _id: 78n, colour: "brown" } };
        const creation = await createWith(pets, more);
        const wanted = { pet: { ...sent, id: creation.pet.id }, earlierFingerprint: undefined };
        expectSame(callText("create", [more]), creation, wanted);
        created.push(creation.pet);
      }
      const number = new Set(ids(created)).size;
      expectSame(
        "create(…), asked for six pets that are sent with the same id: the number of ids",
        number,
        6,
      );
      for (const pet of created) await expectGet(pets, pet.id, pet);
    },
  },
  {
    name: "shows a pet at once",
    rule: "A pet that create answered is shown by every later get and list, from that moment on.",
    async check({ pets }) {
      const created = await atOnce(60, async (n) => {
        const status = PET_STATUSES[n % 3] as PetStatus;
        await list(pets, { limit: 1, status });
        const pet = await create(pets, { categoryId: BigInt(n), status });
        await expectShown(pets, pet, ", of a pet just created,");
        return pet;
      });
      await expectList(pets, {}, inOrder(created));
    },
  },
  {
    name: "copies what goes in",
    rule: "Pets go in by value: create stores the object as it was at the call, whatever the caller does to it later.",
    async check({ pets }) {
      const [sent, record] = [somePet(), recordOf("key")];
      const creating = pets.create(sent, record);
      Object.assign(sent, { name: "changed", categoryId: 2n, status: "pending" });
      Object.assign(record, recordOf("changed", "changed"));
      const { id } = (await creating).pet;
      Object.assign(sent, { name: "changed again" });
      await expectShown(pets, { ...somePet(), id }, ", of a pet whose sent object was changed,");
      await expectReplayed(pets, { ...somePet(), id }, recordOf("key"), ", whose record was changed");
    },
  },
  {
    name: "hands out copies",
    rule: "Pets come out by value: a caller cannot change a stored pet through an object that it holds.",
    async check({ pets }) {
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
      await expectShown(pets, before, ", after the caller changed answers,");
      await expectReplayed(pets, before, recordOf("key"), ", after the caller changed answers");
    },
  },
  {
    name: "is exact in int64",
    rule: "A categoryId is exact over the whole range of int64.",
    async check({ pets }) {
      for (const categoryId of AWKWARD_INT64S) await keeps(pets, { categoryId }, `categoryId ${categoryId}`);
    },
  },
  {
    name: "is exact in names",
    rule: "The storage keeps a name code unit for code unit.",
    async check({ pets }) {
      for (const [what, name] of Object.entries(AWKWARD_NAMES)) await keeps(pets, { name }, what);
    },
  },
];
