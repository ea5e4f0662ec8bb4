import type { ArchivedPet } from "../../application/ports/pet-archive.js";
import { SEQUENCE_END } from "../../application/ports/pet-archive.js";
import type { ContractCase } from "../contract-case.js";
import { same, samePet, samePets } from "../expect.js";
import { AWKWARD_INT64S, AWKWARD_NAMES, atOnce, list, listAll, somePet } from "../samples.js";
import { archiveCase, archivedPets, conflicts, readAll, sameArchived } from "./archive-case.js";

const FIRST: ArchivedPet = {
  pet: { ...somePet({ name: "first" }), id: 10n },
  record: { key: "key", fingerprint: "fingerprint" },
};
const SECOND: ArchivedPet = { pet: { ...somePet({ name: "second" }), id: 20n }, record: undefined };

/** Pets that conflict with FIRST and SECOND; each differs from a stored pet in one thing. */
const CONFLICTS: Readonly<Record<string, ArchivedPet>> = {
  "another name": { ...SECOND, pet: { ...SECOND.pet, name: "Second" } },
  "another categoryId": { ...SECOND, pet: { ...SECOND.pet, categoryId: 8n } },
  "another status": { ...SECOND, pet: { ...SECOND.pet, status: "sold" } },
  "a record that the stored pet lacks": { ...SECOND, record: { key: "other", fingerprint: "f" } },
  "no record, which the stored pet has,": { ...FIRST, record: undefined },
  "another key": { ...FIRST, record: { key: "other", fingerprint: "fingerprint" } },
  "another fingerprint": { ...FIRST, record: { key: "key", fingerprint: "other" } },
  "the key of another pet": {
    pet: { ...FIRST.pet, id: 30n },
    record: { key: "key", fingerprint: "fingerprint" },
  },
};

/** Cases: storing pets in an archive. */
export const STORING_CASES: readonly ContractCase[] = [
  archiveCase({
    name: "archive: stores pets under their ids",
    rule: "storePets stores pets under the ids that they have, exactly, and get, list and create know them.",
    async check(pets) {
      const ids = [
        3n,
        7n,
        1_000n,
        2n ** 31n,
        2n ** 32n + 1n,
        2n ** 40n,
        SEQUENCE_END - 1n,
        SEQUENCE_END,
        2n ** 53n - 2n,
      ];
      const archived = archivedPets([...ids, 2n ** 53n - 1n]);
      await pets.storePets(archived);
      sameArchived(await readAll(pets), archived, "what was stored");
      const stored = archived.map(({ pet }) => pet);
      samePets(await listAll(pets), stored, "list");
      for (const pet of stored) samePet(await pets.get(pet.id), pet, `get(${pet.id})`);
      const sold = stored.filter(({ status }) => status === "sold");
      samePets(await list(pets, { status: "sold" }), sold, "the list of sold pets");
      for (const { pet, record } of archived) {
        if (!record) continue;
        const again = await pets.create(somePet(), record);
        samePet(again.pet, pet, "the pet that a create under a stored record's key answers");
        same(again.replayed, record.fingerprint, "the fingerprint that it answers");
      }
    },
  }),
  archiveCase({
    name: "archive: stores exactly",
    rule: "storePets is exact: int64 over its whole range, names code unit for code unit.",
    async check(pets) {
      const parts = [
        ...AWKWARD_INT64S.map((categoryId) => ({ categoryId })),
        ...Object.values(AWKWARD_NAMES).map((name) => ({ name })),
      ];
      const archived = parts.map((part, n) => ({
        pet: { ...somePet(part), id: BigInt(n + 1) },
        record: { key: `${"k".repeat(60)}${n}`, fingerprint: "f".repeat(64) },
      }));
      await pets.storePets(archived);
      sameArchived(await readAll(pets), archived, "what was stored");
    },
  }),
  archiveCase({
    name: "archive: takes a batch again",
    rule: "storePets accepts a pet that is there exactly as given: a batch may come again, in part, or twice at once.",
    async check(pets) {
      const archived = archivedPets(Array.from({ length: 40 }, (_, n) => BigInt(n + 1) * 3n));
      await pets.storePets(archived.slice(10, 20));
      await pets.storePets(archived);
      await pets.storePets(archived);
      await atOnce(5, () => pets.storePets(archived));
      sameArchived(await readAll(pets), archived, "what was stored in part, whole, and again");
    },
  }),
  archiveCase({
    name: "archive: fills gaps",
    rule: "storePets takes ids in any order from batch to batch: below, between and above those that are there.",
    async check(pets) {
      const all = archivedPets(Array.from({ length: 30 }, (_, n) => BigInt(n + 1)));
      for (const rest of [1, 0, 2]) await pets.storePets(all.filter((_, n) => n % 3 === rest));
      sameArchived(await readAll(pets), all, "what was stored in three batches");
      const sold = all.map(({ pet }) => pet).filter(({ status }) => status === "sold");
      samePets(await list(pets, { status: "sold" }), sold, "the list of sold pets");
    },
  }),
  archiveCase({
    name: "archive: takes a whole batch",
    rule: "storePets takes up to 1000 pets at a time, of the longest names and records.",
    async check(pets) {
      const archived = Array.from({ length: 1000 }, (_, n) => ({
        pet: { ...somePet({ name: "🐾".repeat(255) }), id: BigInt(n + 1) },
        record: { key: `${n}`.padStart(64, "k"), fingerprint: "f".repeat(64) },
      }));
      await pets.storePets(archived);
      sameArchived(await readAll(pets), archived, "1000 pets stored at once");
      await pets.storePets([]);
    },
  }),
  archiveCase({
    name: "archive: refuses a conflict",
    rule: "storePets rejects with a PetConflict if an id or a record's key is there with other content, and changes nothing that is there.",
    async check(pets) {
      await pets.storePets([FIRST, SECOND]);
      for (const [what, pet] of Object.entries(CONFLICTS)) {
        await conflicts(pets, [pet], pet.pet.id, what);
        sameArchived(
          await readAll(pets),
          [FIRST, SECOND],
          `the storage, after a pet with ${what} was refused,`,
        );
      }
      const later = { pet: { ...FIRST.pet, id: 40n }, record: { key: "twice", fingerprint: "f" } };
      const twin = { pet: { ...FIRST.pet, id: 50n }, record: { key: "twice", fingerprint: "f" } };
      await conflicts(pets, [later, twin], 50n, "two pets of one key");
      const stored = await readAll(pets);
      sameArchived(
        stored.slice(0, 2),
        [FIRST, SECOND],
        "the storage, after two pets of one key were refused,",
      );
    },
  }),
];
