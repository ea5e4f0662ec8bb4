import assert from "node:assert/strict";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { atOnce, create, inOrder, list, plain, recordOf, somePet } from "../samples.js";

const LONG = "k".repeat(63);

/** Keys that an index, a map or a query may confuse with one another, or with a name of its own. */
const KEYS = [
  ...["key", "KEY", "key ", " key", "__proto__", "constructor", "$where", "a.b", "a", "0", "00", "null"],
  ...["undefined", "fingerprint", "~!@#$%^&*()'\"\\`", `${LONG}1`, `${LONG}2`],
];

/**
 * Creates 50 different pets under one key at once, on these instances in turn. Asserts that one of them is stored, and
 * that all callers get it.
 */
async function raceForKey(...instances: [PetRepository, ...PetRepository[]]): Promise<void> {
  const creations = await atOnce(50, (n) =>
    (instances[n % instances.length] as PetRepository).create(
      somePet({ categoryId: BigInt(n) }),
      recordOf("key", `${n}`),
    ),
  );
  const stored = await list(instances[0]);
  assert.equal(stored.length, 1, "the number of pets stored under one key");
  for (const { pet } of creations) assert.deepEqual(plain(pet), stored[0], "the pet that a create answers");
  const replays = creations.flatMap(({ replayed }) => replayed ?? []);
  assert.equal(replays.length, 49, "the number of replays among 50 creates");
  for (const replayed of replays)
    assert.equal(replayed, `${stored[0]?.categoryId}`, "the replayed fingerprint");
}

/** Cases: creates that repeat an earlier one. */
export const KEY_CASES: readonly ContractCase[] = [
  contractCase({
    name: "answers a repeated create with the first",
    rule: "If the record's key is already there, create stores nothing, and answers the pet and the fingerprint stored under the key.",
    async check(pets) {
      const { pet } = await pets.create(somePet({ status: "sold" }), recordOf("key", "first"));
      for (const fingerprint of ["first", "another", "first"]) {
        const again = await pets.create(somePet({ name: "other" }), recordOf("key", fingerprint));
        assert.deepEqual(plain(again.pet), plain(pet), "the pet that a repeated create answers");
        assert.equal(again.replayed, "first", "the fingerprint that a repeated create answers");
      }
      assert.deepEqual(await list(pets), [plain(pet)], "the list of all pets");
      const available = await list(pets, { status: "available" });
      assert.deepEqual(available, [], "the list by the status that was sent again");
    },
  }),
  contractCase({
    name: "stores one pet if a key races",
    rule: "Any number of creates under one key that arrive at once store one pet, and all answer it and its fingerprint.",
    check: (pets) => raceForKey(pets),
  }),
  contractCase({
    name: "stores one pet if a key races among instances",
    rule: "Any number of creates under one key, in any number of processes, store one pet, and all answer it.",
    needs: ["shared", "reopen"],
    check: async (pets, { reopen }) => raceForKey(pets, await reopen()),
  }),
  contractCase({
    name: "keeps keys apart",
    rule: "create distinguishes keys letter for letter, over all of their 64 characters, and fingerprints too; a create without a record repeats no other.",
    async check(pets) {
      const created = [await create(pets)];
      for (const key of KEYS) {
        const { pet, replayed } = await pets.create(somePet({ name: key }), recordOf(key, `${LONG}0`));
        assert.equal(replayed, undefined, `replayed, at the first use of the key ${key},`);
        created.push(plain(pet));
      }
      for (const key of KEYS) {
        const { pet, replayed } = await pets.create(somePet(), recordOf(key, "another"));
        assert.equal(pet.name, key, `the name of the pet stored under the key ${key}`);
        assert.equal(replayed, `${LONG}0`, `the fingerprint stored under the key ${key}`);
      }
      const others = await atOnce(10, () => pets.create(somePet()));
      for (const { pet, replayed } of others) {
        assert.equal(replayed, undefined, "replayed, of a create without a record,");
        created.push(plain(pet));
      }
      assert.deepEqual(await list(pets), inOrder(created), "the list of all pets");
    },
  }),
];
