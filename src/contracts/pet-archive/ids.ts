import assert from "node:assert/strict";
import { SEQUENCE_END } from "../../application/ports/pet-archive.js";
import type { ContractCase } from "../contract-case.js";
import { same } from "../expect.js";
import { atOnce, createPets, ids, listAll, somePet } from "../samples.js";
import { type Archive, archiveCase, archivedPets, toArchive } from "./archive-case.js";

/** Asserts that an answer of `highestId` is not too low. */
function atLeast(actual: bigint, least: bigint, what: string): void {
  assert(
    typeof actual === "bigint" && actual >= least,
    `highestId ${what} is ${actual}, expected at least ${least}`,
  );
}

async function createsAbove(pets: Archive, id: bigint, what: string): Promise<void> {
  for (const { pet } of await atOnce(20, () => pets.create(somePet()))) {
    assert(pet.id > id && pet.id < 2n ** 53n, `create gave the id ${pet.id} ${what}`);
  }
}

/** Cases: a storage gives no id twice, even if pets have moved into it. */
export const ARCHIVE_ID_CASES: readonly ContractCase[] = [
  archiveCase({
    name: "archive: knows the highest id",
    rule: "highestId answers the highest id ever given or received, or a higher one below which none will be given; 0 if there is none.",
    async check(pets) {
      same(await pets.highestId(), 0n, "highestId of a new storage");
      const created = ids(await createPets(pets, 3)).reduce((a, b) => (a > b ? a : b));
      const highest = await pets.highestId();
      atLeast(highest, created, `after the id ${created} was given`);
      await pets.storePets(archivedPets([highest + 1_000n]));
      atLeast(await pets.highestId(), highest + 1_000n, "after a pet was stored");
      await pets.raiseIds(highest + 5_000n);
      atLeast(await pets.highestId(), highest + 5_000n, "after raiseIds");
      await createsAbove(pets, highest + 5_000n, "after the ids were raised above it");
    },
  }),
  archiveCase({
    name: "archive: gives no id that was stored",
    rule: "An id is given once: create gives none that storePets has received, nor one below.",
    async check(pets) {
      await createPets(pets, 2);
      const stored = Array.from({ length: 60 }, (_, n) => BigInt(n + 1) * 3n);
      await pets.storePets(archivedPets(stored));
      await createsAbove(pets, 180n, "after ids up to 180 were stored");
      same((await listAll(pets)).length, 82, "the number of pets");
    },
  }),
  archiveCase({
    name: "archive: raises ids",
    rule: "After raiseIds create gives only ids above; if it does so already, nothing changes.",
    async check(pets) {
      for (const id of [0n, 5n, 2n ** 31n, 2n ** 32n, 2n ** 50n, SEQUENCE_END - 50_000n]) {
        await pets.raiseIds(id);
        await createsAbove(pets, id, `after raiseIds(${id})`);
      }
      await pets.raiseIds(1n);
      await createsAbove(pets, SEQUENCE_END - 50_000n, "after raiseIds(1), which changes nothing");
      const last = 2n ** 53n - 1n;
      await pets.raiseIds(last);
      const outcome = await pets.create(somePet()).then(
        ({ pet }) => `gave ${pet.id}`,
        () => "rejected",
      );
      same(outcome, "rejected", `what create does after raiseIds(${last})`);
      atLeast(await pets.highestId(), last, `after raiseIds(${last})`);
    },
  }),
  archiveCase({
    name: "archive: keeps keyed ids out of the sequence",
    rule: "Ids from 2^52 upwards that storePets receives raise neither highestId nor what create gives next.",
    async check(pets) {
      const stored = [SEQUENCE_END, SEQUENCE_END + 1n, 2n ** 53n - 1n];
      await pets.storePets(archivedPets(stored));
      const highest = await pets.highestId();
      assert(highest < SEQUENCE_END, `highestId is ${highest} after pets were stored from 2^52 upwards`);
      const { pet } = await pets.create(somePet());
      assert(!stored.includes(pet.id) && pet.id < 2n ** 53n, `create gave the id ${pet.id}`);
      const { pet: keyed } = await pets.create(somePet(), { key: "key", fingerprint: "f" });
      assert(
        !stored.includes(keyed.id) && keyed.id < 2n ** 53n,
        `create with a record gave the id ${keyed.id}`,
      );
    },
  }),
  archiveCase({
    name: "archive: keeps raised ids over a restart",
    rule: "Raised ids stay raised over any number of restarts.",
    needs: ["reopen"],
    async check(pets, { reopen }) {
      await pets.raiseIds(1_000_000n);
      await pets.close();
      for (let round = 1; round <= 2; round++) {
        const later = toArchive(await reopen());
        atLeast(await later.highestId(), 1_000_000n, `after restart ${round}`);
        await createsAbove(later, 1_000_000n, `after raiseIds(1000000) and restart ${round}`);
        await later.close();
      }
    },
  }),
  archiveCase({
    name: "archive: remembers an id that is gone",
    rule: "highestId counts every id that was given, even if its pet is gone.",
    needs: ["deletePet"],
    async check(pets, { storage }) {
      const highest = ids(await createPets(pets, 3)).reduce((a, b) => (a > b ? a : b));
      await storage.deletePet?.(highest);
      atLeast(await pets.highestId(), highest, "after the pet with the highest id was deleted");
    },
  }),
  archiveCase({
    name: "archive: raises ids of every instance",
    rule: "Of two instances on one storage, neither gives an id that the other has received.",
    needs: ["shared", "reopen"],
    async check(pets, { reopen }) {
      const other = toArchive(await reopen());
      const created = ids([...(await createPets(pets, 2)), ...(await createPets(other, 2))]);
      // Among the ids that both would give next, even if each has reserved a block of them.
      const stored = created.flatMap((id) => Array.from({ length: 30 }, (_, n) => id + BigInt(n + 1)));
      const missing = [...new Set(stored)]
        .filter((id) => !created.includes(id))
        .sort((a, b) => (a < b ? -1 : 1));
      await pets.storePets(archivedPets(missing));
      const [first, second] = await Promise.all([
        atOnce(20, () => pets.create(somePet())),
        atOnce(20, () => other.create(somePet())),
      ]);
      const given = ids([...first, ...second].map(({ pet }) => pet));
      const all = [...created, ...missing, ...given];
      same(new Set(all).size, all.length, "the number of ids stored by one and given by both");
    },
  }),
];
