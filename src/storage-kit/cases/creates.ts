import assert from "node:assert/strict";
import { LAST_ID } from "../../domain/pet.js";
import { create, createMany, distinct, idsOf, inOrder, list, replays, same } from "../checks.js";
import type { Case } from "../contract-case.js";
import { AWKWARD_KEYS, atOnce, recordOf, somePet } from "../samples.js";

export const CREATE_CASES: readonly Case[] = [
  {
    name: "gives an id once",
    rule: "Ids are from 1 to 2^53-1. Any number of concurrent callers and processes get an id each, with their own pet.",
    async check(storage, session) {
      const { pets } = storage;
      const other = (await session.another(storage)).pets;
      const created = await atOnce(200, (n) => create(n % 2 ? other : pets, { categoryId: BigInt(n) }));
      for (const [n, { id, categoryId }] of created.entries()) {
        assert(id >= 1n && id <= LAST_ID, `create(…) assigned the id ${id}`);
        assert.equal(categoryId, BigInt(n));
      }
      distinct(idsOf(created));
      same(await list(pets), inOrder(created));
    },
  },
  {
    name: "gives no id again after a restart",
    rule: "No id is assigned again, after any number of restarts.",
    needs: ["reopen"],
    async check(storage, session) {
      const given: bigint[] = [];
      for (let round = 0; round <= 5; round++) {
        given.push(...idsOf(await createMany(storage.pets, 2)));
        distinct(given);
        storage = await session.restart(storage);
      }
    },
  },
  {
    name: "gives no id of a pet that is gone",
    rule: "No id is assigned again, even after its pet is deleted, and the highestId of an archive counts it.",
    needs: ["deletePet"],
    async check(storage, session) {
      const deletePet = (id: bigint) =>
        session.help("deletePet(…)", () => session.tested.deletePet?.(session.url, id));
      const given = idsOf(await createMany(storage.pets, 3));
      const highest = given.at(-1) ?? 0n;
      for (const id of given.slice(1)) await deletePet(id);
      same(await storage.pets.get(highest), undefined);
      const reported = (await storage.archive?.highestId()) ?? highest;
      assert(reported >= highest, `highestId() is ${reported} once the pet ${highest} is gone`);
      const { id } = await create(storage.pets);
      await deletePet(id);
      const later = await session.restart(storage);
      distinct([...given, id, (await create(later.pets)).id]);
    },
  },
  {
    name: "answers a repeated create with the first",
    rule: "If the record's key is already stored, create stores nothing, and resolves to the pet and the fingerprint under the key.",
    async check({ pets }) {
      const [sent, record] = [somePet({ status: "sold" }), recordOf("key", "first")];
      const pet = await create(pets, sent, record);
      await replays(pets, pet, record);
      same(await pets.create(sent, record), { pet, earlierFingerprint: "first" });
      same(await list(pets), [pet]);
      same(await list(pets, { status: "available" }), []);
    },
  },
  {
    name: "stores one pet if a key races",
    rule: "Concurrent creates under one key, in any number of processes, store one pet; all resolve to it, and all but one to its fingerprint.",
    async check(storage, session) {
      const { pets } = storage;
      const other = (await session.another(storage)).pets;
      const creations = await atOnce(50, (n) =>
        (n % 2 ? other : pets).create(somePet({ categoryId: BigInt(n) }), recordOf("key", `${n}`)),
      );
      const stored = structuredClone(await list(pets));
      const fingerprint = `${stored[0]?.categoryId}`;
      const firsts = creations.filter(({ earlierFingerprint }) => earlierFingerprint === undefined);
      const counts = `stored ${stored.length} pets, and ${firsts.length} had no earlierFingerprint; expected 1 and 1`;
      assert(stored.length === 1 && firsts.length === 1, `50 creates at once under one key ${counts}`);
      for (const { pet, earlierFingerprint = fingerprint } of creations)
        same({ pet, earlierFingerprint }, { pet: stored[0], earlierFingerprint: fingerprint });
    },
  },
  {
    name: "keeps keys apart",
    rule: "create compares all 64 characters of a key, and keeps fingerprints whole; a create without a record repeats no other.",
    async check({ pets }) {
      const created = [await create(pets)];
      const fingerprint = "f".repeat(64);
      for (const key of AWKWARD_KEYS) {
        const { pet, earlierFingerprint } = await pets.create(somePet({ name: key }), { key, fingerprint });
        assert.equal(earlierFingerprint, undefined);
        created.push(structuredClone(pet));
      }
      for (const pet of created.slice(1)) await replays(pets, pet, { key: pet.name, fingerprint });
      created.push(...(await atOnce(10, () => create(pets))));
      same(await list(pets), inOrder(created));
    },
  },
];
