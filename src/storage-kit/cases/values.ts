import assert from "node:assert/strict";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import { type NewPet, PET_STATUSES, type Pet } from "../../domain/pet.js";
import { create, distinct, idsOf, inOrder, list, same, shows } from "../checks.js";
import type { Case } from "../contract-case.js";
import { AWKWARD_INT64S, AWKWARD_NAMES, atOnce, recordOf, somePet } from "../samples.js";

async function expectKept(pets: PetRepository, parts: Partial<NewPet>, key: string): Promise<void> {
  const pet = await create(pets, parts, recordOf(key));
  same(pet, { ...somePet(parts), id: pet.id });
  await shows(pets, pet, recordOf(key));
}

export const VALUE_CASES: readonly Case[] = [
  {
    name: "answers what was sent",
    rule: "create resolves to the pet as it was sent, with a bigint as its id; it stores only the members of a pet, and two equal pets as two.",
    async check({ pets }) {
      const created: Pet[] = [];
      for (const status of [...PET_STATUSES, ...PET_STATUSES]) {
        const sent = somePet({ status });
        const { pet, earlierFingerprint } = await pets.create({ ...sent, ...{ id: 77n, _id: 78n, age: 3 } });
        assert.equal(typeof pet?.id, "bigint");
        same(pet, { ...sent, id: pet.id });
        assert.equal(earlierFingerprint, undefined);
        created.push(structuredClone(pet));
      }
      distinct(idsOf(created));
      for (const pet of created) await shows(pets, pet);
    },
  },
  {
    name: "shows a pet at once",
    rule: "Every get and list that is called once create has resolved returns the pet.",
    async check({ pets }) {
      const createOne = async () => {
        await list(pets, { limit: 1 });
        const pet = await create(pets);
        await shows(pets, pet);
        return pet;
      };
      const created = await atOnce(60, createOne);
      same(await list(pets), inOrder(created));
    },
  },
  {
    name: "copies what goes in",
    rule: "Pets go in by value: create stores the pet and the record as they were at the call, whatever the caller does to them later.",
    async check({ pets }) {
      const [sent, record] = [somePet(), recordOf("key")];
      const creating = pets.create(sent, record);
      Object.assign(sent, { name: "changed", categoryId: 2n, status: "pending" });
      Object.assign(record, recordOf("changed", "changed"));
      const { id } = (await creating).pet;
      await shows(pets, { ...somePet(), id }, recordOf("key"));
    },
  },
  {
    name: "hands out copies",
    rule: "Pets come out by value: a caller cannot change a stored pet through an object that it received.",
    async check({ pets }) {
      const { pet } = await pets.create(somePet(), recordOf("key"));
      const before = structuredClone(pet);
      const again = await pets.create(somePet(), recordOf("key"));
      const pages = [await list(pets), await list(pets, { status: before.status })];
      for (const found of [pet, again.pet, await pets.get(before.id), ...pages.flat()]) {
        // A frozen pet keeps the rule, too.
        if (!Object.isFrozen(found)) Object.assign(found ?? {}, { id: 0n, name: "spoilt", status: "sold" });
      }
      for (const page of pages) page.length = 0;
      await shows(pets, before, recordOf("key"));
    },
  },
  {
    name: "is exact in int64",
    rule: "A categoryId is exact over the whole range of int64.",
    async check({ pets }) {
      for (const categoryId of AWKWARD_INT64S) await expectKept(pets, { categoryId }, `${categoryId}`);
    },
  },
  {
    name: "is exact in names",
    rule: "A name is kept code unit for code unit.",
    async check({ pets }) {
      for (const [n, name] of AWKWARD_NAMES.entries()) await expectKept(pets, { name }, `key ${n}`);
    },
  },
];
