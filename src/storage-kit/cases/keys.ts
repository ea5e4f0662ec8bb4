import type { Case } from "../contract-case.js";
import {
  atOnce,
  create,
  createWith,
  expectList,
  expectReplayed,
  inOrder,
  list,
  recordOf,
  somePet,
} from "../samples.js";
import { callText, expectSame } from "../seen.js";

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
        await expectReplayed(pets, pet, recordOf("key", "first"));
      }
      const same = await createWith(pets, somePet({ status: "sold" }), recordOf("key", "first"));
      expectSame("create(…), repeated as it was: the earlierFingerprint", same.earlierFingerprint, "first");
      await expectList(pets, {}, [pet]);
      await expectList(pets, { status: "available" }, [], ", the status that was sent again,");
    },
  },
  {
    name: "stores one pet if a key races",
    rule: "Any number of creates under one key that arrive at once, in any number of processes, store one pet, and all answer it and its fingerprint.",
    async check({ pets }, { storage, reopen }) {
      const other = storage.shared ? (await reopen()).pets : pets;
      const creations = await atOnce(50, (n) =>
        createWith(n % 2 ? other : pets, somePet({ categoryId: BigInt(n) }), recordOf("key", `${n}`)),
      );
      const stored = await list(pets);
      expectSame("create(…), asked 50 times at once under one key: the number of pets", stored.length, 1);
      for (const { pet } of creations) {
        expectSame("create(…), asked 50 times at once under one key: a pet", pet, stored[0]);
      }
      const replays = creations.flatMap(({ earlierFingerprint }) => earlierFingerprint ?? []);
      const wanted = Array(49).fill(`${stored[0]?.categoryId}`);
      expectSame("create(…), asked 50 times at once under one key: earlierFingerprint", replays, wanted);
    },
  },
  {
    name: "keeps keys apart",
    rule: "create distinguishes keys letter for letter, over all of their 64 characters, and fingerprints too; a create without a record repeats no other.",
    async check({ pets }) {
      const created = [await create(pets)];
      for (const key of KEYS) {
        const sent = [somePet({ name: key }), recordOf(key, `${LONG}0`)] as const;
        const { pet, earlierFingerprint } = await createWith(pets, ...sent);
        const what = `${callText("create", sent)}, the first under its key: earlierFingerprint`;
        expectSame(what, earlierFingerprint, undefined);
        created.push(pet);
      }
      for (const pet of created.slice(1)) {
        await expectReplayed(pets, pet, recordOf(pet.name, `${LONG}0`));
      }
      for (const { pet, earlierFingerprint } of await atOnce(10, () => createWith(pets, somePet()))) {
        expectSame("create(…), without a record: earlierFingerprint", earlierFingerprint, undefined);
        created.push(pet);
      }
      await expectList(pets, {}, inOrder(created));
    },
  },
];
