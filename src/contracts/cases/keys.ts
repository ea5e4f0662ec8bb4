import assert from "node:assert/strict";
import type { Case } from "../contract-case.js";
import { assertReplayed, atOnce, create, inOrder, list, plain, recordOf, somePet } from "../samples.js";

const LONG = "k".repeat(63);

/** Keys that an index, a map or a query may confuse with one another, or with a name of its own. */
const KEYS = [
  ...["key", "KEY", "key ", " key", "__proto__", "constructor", "$where", "a.b", "a", "0", "00", "null"],
  ...["undefined", "fingerprint", "~!@#$%^&*()'\"\\`", `${LONG}1`, `${LONG}2`],
];

/** Cases: creates that repeat an earlier one. */
export const KEY_CASES: readonly Case[] = [
  {
    name: "answers a repeated create with the first",
    rule: "If the record's key is already there, create stores nothing, and answers the pet and the fingerprint stored under the key.",
    async check({ pets }) {
      const pet = await create(pets, { status: "sold" }, recordOf("key", "first"));
      for (let round = 0; round < 3; round++) {
        await assertReplayed(pets, pet, recordOf("key", "first"), "a pet with a key");
      }
      const same = await pets.create(somePet({ status: "sold" }), recordOf("key", "first"));
      assert.equal(same.earlierFingerprint, "first", "the fingerprint that the same create answers");
      assert.deepEqual(await list(pets), [pet], "the list of all pets");
      const available = await list(pets, { status: "available" });
      assert.deepEqual(available, [], "the list by the status that was sent again");
    },
  },
  {
    name: "stores one pet if a key races",
    rule: "Any number of creates under one key that arrive at once, in any number of processes, store one pet, and all answer it and its fingerprint.",
    async check({ pets }, { storage, reopen }) {
      const other = storage.shared ? (await reopen()).pets : pets;
      const creations = await atOnce(50, (n) =>
        (n % 2 ? other : pets).create(somePet({ categoryId: BigInt(n) }), recordOf("key", `${n}`)),
      );
      const stored = await list(pets);
      assert.equal(stored.length, 1, "the number of pets stored under one key");
      for (const { pet } of creations)
        assert.deepEqual(plain(pet), stored[0], "the pet that a create answers");
      const replays = creations.flatMap(({ earlierFingerprint }) => earlierFingerprint ?? []);
      const wanted = Array(49).fill(`${stored[0]?.categoryId}`);
      assert.deepEqual(replays, wanted, "the fingerprints that 50 creates answer");
    },
  },
  {
    name: "keeps keys apart",
    rule: "create distinguishes keys letter for letter, over all of their 64 characters, and fingerprints too; a create without a record repeats no other.",
    async check({ pets }) {
      const created = [await create(pets)];
      for (const key of KEYS) {
        const { pet, earlierFingerprint } = await pets.create(
          somePet({ name: key }),
          recordOf(key, `${LONG}0`),
        );
        assert.equal(
          earlierFingerprint,
          undefined,
          `earlierFingerprint, at the first use of the key ${key},`,
        );
        created.push(plain(pet));
      }
      for (const pet of created.slice(1)) {
        await assertReplayed(pets, pet, recordOf(pet.name, `${LONG}0`), `the pet with the key ${pet.name}`);
      }
      for (const { pet, earlierFingerprint } of await atOnce(10, () => pets.create(somePet()))) {
        assert.equal(earlierFingerprint, undefined, "earlierFingerprint, of a create without a record,");
        created.push(plain(pet));
      }
      assert.deepEqual(await list(pets), inOrder(created), "the list of all pets");
    },
  },
];
