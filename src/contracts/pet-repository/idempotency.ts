import type { Creation, PetRepository } from "../../application/ports/pet-repository.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { same, samePet, samePets } from "../expect.js";
import { atOnce, inOrder, list, listAll, somePet } from "../samples.js";

const RECORD = { key: "key", fingerprint: "fingerprint" };
const LONG = "k".repeat(63);

/** Keys that an index, a map or a query may confuse with one another, or with a name of its own. */
const KEYS = [
  "key",
  "KEY",
  "key ",
  " key",
  "__proto__",
  "constructor",
  "$where",
  "a.b",
  "a",
  "0",
  "00",
  "null",
  "fingerprint",
  "~!@#$%^&*()'\"\\`",
  `${LONG}1`,
  `${LONG}2`,
];

/** Cases: creates that repeat an earlier one. */
export const IDEMPOTENCY_CASES: readonly ContractCase[] = [
  contractCase({
    name: "answers a repeated create with the first",
    rule: "If the record's key is already there, create stores nothing, and answers the pet stored under the key.",
    async check(pets) {
      const { pet } = await pets.create(somePet({ status: "sold" }), { key: "key", fingerprint: "first" });
      for (const fingerprint of ["first", "another"]) {
        const again = await pets.create(somePet({ name: "other" }), { key: "key", fingerprint });
        samePet(again.pet, pet, "the pet that a repeated create answers");
        same(again.replayed, "first", "the fingerprint that a repeated create answers");
      }
      samePets(await listAll(pets), [pet], "the list of all pets");
      samePets(await list(pets, { status: "available" }), [], "the list by the status that was sent again");
    },
  }),
  contractCase({
    name: "stores one pet if a key races",
    rule: "Any number of creates under one key that arrive at once store one pet, and all answer it.",
    async check(pets) {
      const creations = await atOnce(50, () => pets.create(somePet(), RECORD));
      await onePet(pets, creations, () => "fingerprint");
    },
  }),
  contractCase({
    name: "lets one body win if a key races",
    rule: "If different pets race under one key, create stores one of them, and tells all callers its fingerprint.",
    async check(pets) {
      const creations = await atOnce(20, (n) =>
        pets.create(somePet({ categoryId: BigInt(n) }), { key: "key", fingerprint: `${n}` }),
      );
      await onePet(pets, creations, (categoryId) => `${categoryId}`);
    },
  }),
  contractCase({
    name: "keeps keys apart",
    rule: "create distinguishes keys letter for letter, over all of their 64 characters, and fingerprints too.",
    async check(pets) {
      for (const key of KEYS) {
        const { replayed } = await pets.create(somePet({ name: key }), { key, fingerprint: `${LONG}0` });
        same(replayed, undefined, `replayed, at the first use of the key ${key},`);
      }
      for (const key of KEYS) {
        const { pet, replayed } = await pets.create(somePet(), { key, fingerprint: "another" });
        same(pet.name, key, `the name of the pet stored under the key ${key}`);
        same(replayed, `${LONG}0`, `the fingerprint stored under the key ${key}`);
      }
      same((await listAll(pets)).length, KEYS.length, "the number of pets");
    },
  }),
  contractCase({
    name: "lets pets without a key be",
    rule: "A create without a record is never a repetition of another.",
    async check(pets) {
      const first = await pets.create(somePet());
      const keyed = await pets.create(somePet(), RECORD);
      const others = await atOnce(10, () => pets.create(somePet()));
      for (const { replayed } of others) same(replayed, undefined, "replayed, of a create without a record,");
      const created = [first, keyed, ...others].map(({ pet }) => pet);
      samePets(await listAll(pets), inOrder(created), "the list of all pets");
    },
  }),
  contractCase({
    name: "keeps records over a restart",
    rule: "The storage keeps an idempotency record as long as its pet, even over a restart.",
    needs: ["reopen"],
    async check(pets, { reopen }) {
      const { pet } = await pets.create(somePet(), RECORD);
      await pets.close();
      const later = await reopen();
      const again = await later.create(somePet({ name: "other" }), RECORD);
      samePet(again.pet, pet, "the pet that a create repeated after the restart answers");
      same(again.replayed, "fingerprint", "the fingerprint that it answers");
      samePets(await listAll(later), [pet], "the list of all pets");
    },
  }),
];

/** Asserts that one pet is stored, that all creations answer it, and that one of them stored it. */
export async function onePet(
  pets: PetRepository,
  creations: readonly Creation[],
  fingerprintOf: (categoryId: bigint) => string,
): Promise<void> {
  const stored = await listAll(pets);
  same(stored.length, 1, "the number of pets stored under one key");
  const [pet] = stored as [(typeof stored)[0]];
  for (const creation of creations) samePet(creation.pet, pet, "the pet that one of the creates answers");
  const replays = creations.map(({ replayed }) => replayed).filter((replayed) => replayed !== undefined);
  same(replays.length, creations.length - 1, `the number of replays among ${creations.length} creates`);
  for (const replayed of replays) same(replayed, fingerprintOf(pet.categoryId), "the replayed fingerprint");
}
