import { INT64_MAX, INT64_MIN } from "../../domain/pet.js";
import type { ContractCase } from "../contract-case.js";
import { same } from "../expect.js";
import { createMany, createPets, ids, inOrder, listAll, somePet } from "../samples.js";
import { archiveCase, archivedPets, readAll, sameArchived } from "./archive-case.js";

/** Cases: reading pets out of an archive. */
export const READING_CASES: readonly ContractCase[] = [
  archiveCase({
    name: "archive: reads pets with their records",
    rule: "readPets answers stored pets in ascending order of id, each with the record of its create.",
    async check(pets) {
      const expected = [];
      for (const n of [0, 1, 2, 3]) {
        const record = n % 2 ? { key: `key ${n}`, fingerprint: `fingerprint ${n}` } : undefined;
        const { pet } = await pets.create(somePet({ name: `pet ${n}` }), record);
        if (record) await pets.create(somePet(), { ...record, fingerprint: "another" });
        expected.push({ pet, record });
      }
      expected.sort((a, b) => (a.pet.id < b.pet.id ? -1 : 1));
      sameArchived(await readAll(pets), expected, "what readPets answers");
    },
  }),
  archiveCase({
    name: "archive: reads after an id",
    rule: "readPets answers the first `limit` pets after any id; fewer only if there are no more.",
    async check(pets) {
      const created = inOrder(await createPets(pets, 9));
      const expected = created.map((pet) => ({ pet, record: undefined }));
      for (const after of [INT64_MIN, -1n, 0n, ...ids(created), 2n ** 53n + 1n, INT64_MAX]) {
        for (const limit of [1, 3, 9, 1000]) {
          const wanted = expected.filter(({ pet }) => pet.id > after).slice(0, limit);
          const what = `readPets after ${after} with limit ${limit}`;
          sameArchived(await pets.readPets({ after, limit }), wanted, what);
        }
      }
    },
  }),
  archiveCase({
    name: "archive: reads everything in pages",
    rule: "A walk by readPets sees every pet once, also those that were stored under their ids.",
    async check(pets) {
      await createMany(pets, 250);
      const gaps = Array.from({ length: 200 }, (_, n) => 2n ** 40n + BigInt(n) * 7n);
      await pets.storePets(archivedPets(gaps));
      const listed = await listAll(pets);
      same(listed.length, 450, "the number of pets in the list");
      const walked = await readAll(pets, 100);
      same(ids(walked.map(({ pet }) => pet)), ids(listed), "the ids of a walk in pages of 100");
    },
  }),
  archiveCase({
    name: "archive: tells how many",
    rule: "countPets answers about how many pets there are.",
    async check(pets) {
      same(Number(await pets.countPets()), 0, "the count of an empty storage");
      await createMany(pets, 120);
      const count = await pets.countPets();
      same(
        typeof count === "number" && count >= 0,
        true,
        `whether countPets answers a number (${String(count)})`,
      );
    },
  }),
];
