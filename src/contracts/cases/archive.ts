import assert from "node:assert/strict";
import {
  type ArchivedPet,
  asArchive,
  isPetConflict,
  type PetArchive,
} from "../../application/ports/pet-archive.js";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import { INT64_MAX, INT64_MIN, PET_STATUSES } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import type { Instances } from "../instances.js";
import {
  AWKWARD_INT64S,
  AWKWARD_NAMES,
  atOnce,
  create,
  createPets,
  get,
  ids,
  list,
  plain,
  recordOf,
  somePet,
} from "../samples.js";
import type { Need } from "../storage-under-test.js";

type Archive = PetRepository & PetArchive;

function archiveOf(pets: PetRepository): Archive {
  const archive = asArchive(pets);
  assert(archive, "the repository lacks a method of PetArchive");
  return archive;
}

/** Makes a case for storages that are archives. */
function archiveCase(
  name: string,
  rule: string,
  check: (pets: Archive, instances: Instances) => Promise<void>,
  ...needs: Need[]
): ContractCase {
  return contractCase({
    name: `archive: ${name}`,
    rule,
    needs: ["archive", ...needs],
    check: (pets, instances) => check(archiveOf(pets), instances),
  });
}

/** Pets with the ids given; every second one has a record. */
function archivedPets(ids: readonly bigint[]): ArchivedPet[] {
  return ids.map((id, n) => ({
    pet: { ...somePet({ name: `pet ${id}`, categoryId: id, status: PET_STATUSES[n % 3] ?? "sold" }), id },
    record: n % 2 ? recordOf(`key ${id}`, `fingerprint ${id}`) : undefined,
  }));
}

/** The ids from 1 to `count`, times `step`. */
function idsUpTo(count: number, step = 1n): bigint[] {
  return Array.from({ length: count }, (_, n) => BigInt(n + 1) * step);
}

async function readPets(
  archive: PetArchive,
  range: { after: bigint; limit: number },
): Promise<ArchivedPet[]> {
  const page = await archive.readPets(range);
  return page.map(({ pet, record }) => ({ pet: plain(pet), record: record && plain(record) }));
}

/** Reads every stored pet, page by page. */
async function readAll(archive: PetArchive, limit = 1000): Promise<ArchivedPet[]> {
  const all: ArchivedPet[] = [];
  for (;;) {
    const page = await readPets(archive, { after: all.at(-1)?.pet.id ?? 0n, limit });
    all.push(...page);
    if (page.length < limit) return all;
  }
}

/** Asserts that highestId is not too low, and that create gives only ids above. */
async function givesAbove(pets: Archive, id: bigint, what: string): Promise<void> {
  const highest = await pets.highestId();
  assert(
    typeof highest === "bigint" && highest >= id,
    `highestId ${what} is ${highest}, expected at least ${id}`,
  );
  for (const given of ids(await atOnce(20, () => create(pets)))) {
    assert(given > id && given < 2n ** 53n, `create gave the id ${given} ${what}`);
  }
}

const [FIRST, SECOND] = [10n, 20n].map((id) => ({
  pet: { ...somePet(), id },
  record: recordOf(`key ${id}`) as ArchivedPet["record"],
})) as [ArchivedPet, ArchivedPet];

/** Pets that conflict with FIRST and SECOND; each differs from a stored pet in one thing. */
const CONFLICTS: Readonly<Record<string, ArchivedPet>> = {
  "another name": { ...SECOND, pet: { ...SECOND.pet, name: "rex" } },
  "another categoryId": { ...SECOND, pet: { ...SECOND.pet, categoryId: 8n } },
  "another status": { ...SECOND, pet: { ...SECOND.pet, status: "sold" } },
  "no record, which the stored pet has,": { ...SECOND, record: undefined },
  "another key": { ...SECOND, record: recordOf("other") },
  "another fingerprint": { ...SECOND, record: recordOf("key 20", "other") },
  "the key of another pet": { pet: { ...FIRST.pet, id: 30n }, record: recordOf("key 10") },
};

/** Cases: storages whose pets can move out and in. */
export const ARCHIVE_CASES: readonly ContractCase[] = [
  archiveCase(
    "reads pets with their records",
    "readPets answers the first `limit` stored pets after any id in ascending order of id, each with the record of its create; fewer only if there are no more.",
    async (pets) => {
      assert.equal(Number(await pets.countPets()), 0, "countPets of an empty storage");
      for (const n of idsUpTo(9)) {
        const record = n % 2n ? recordOf(`key ${n}`) : undefined;
        await pets.create(somePet({ categoryId: n }), record);
        if (record) await pets.create(somePet(), recordOf(record.key, "another"));
      }
      const all = (await list(pets)).map((pet) => ({
        pet,
        record: pet.categoryId % 2n ? recordOf(`key ${pet.categoryId}`) : undefined,
      }));
      const count = await pets.countPets();
      assert(typeof count === "number" && count >= 0, `countPets is ${count}, of type ${typeof count}`);
      for (const after of [INT64_MIN, -1n, 0n, ...all.map(({ pet }) => pet.id), 2n ** 53n + 1n, INT64_MAX]) {
        for (const limit of [1, 3, 9, 1000]) {
          const wanted = all.filter(({ pet }) => pet.id > after).slice(0, limit);
          const what = `what readPets answers after ${after} with limit ${limit}`;
          assert.deepEqual(await readPets(pets, { after, limit }), wanted, what);
        }
      }
    },
  ),
  archiveCase(
    "stores pets under their ids",
    "storePets stores pets under the ids that they have, and get, list and create know them and their records.",
    async (pets) => {
      const archived = archivedPets([3n, 7n, 1_000n, 2n ** 31n, 2n ** 32n + 1n, 2n ** 40n, 2n ** 51n]);
      await pets.storePets(archived);
      assert.deepEqual(await readAll(pets), archived, "what was stored");
      const stored = archived.map(({ pet }) => pet);
      assert.deepEqual(await list(pets), stored, "the list");
      for (const pet of stored) assert.deepEqual(await get(pets, pet.id), pet, `get(${pet.id})`);
      const sold = stored.filter(({ status }) => status === "sold");
      assert.deepEqual(await list(pets, { status: "sold" }), sold, "the list of sold pets");
      for (const { pet, record } of archived) {
        if (!record) continue;
        const again = await pets.create(somePet(), record);
        assert.deepEqual(plain(again.pet), pet, "the pet that a create under a stored record's key answers");
        assert.equal(again.replayed, record.fingerprint, "the fingerprint that it answers");
      }
    },
  ),
  archiveCase(
    "takes a batch again",
    "storePets accepts a pet that is there exactly as given: a batch may come again, in part, or twice at once, below, between and above the ids that are there.",
    async (pets) => {
      const archived = archivedPets(idsUpTo(60, 3n));
      for (const rest of [1, 0]) await pets.storePets(archived.filter((_, n) => n % 3 === rest));
      await atOnce(5, () => pets.storePets(archived));
      await pets.storePets(archived);
      assert.deepEqual(await readAll(pets), archived, "what was stored in part, whole, and again");
      const sold = archived.map(({ pet }) => pet).filter(({ status }) => status === "sold");
      assert.deepEqual(await list(pets, { status: "sold" }), sold, "the list of sold pets");
    },
  ),
  archiveCase(
    "takes a whole batch exactly",
    "storePets takes up to 1000 pets at a time, of the longest names and records, and stores them exactly: int64 over its whole range, names code unit for code unit.",
    async (pets) => {
      const names = ["🐾".repeat(255), ...Object.values(AWKWARD_NAMES)];
      const archived = idsUpTo(1000).map((id, n) => ({
        pet: {
          ...somePet({ name: names[n % 40] ?? "Rex", categoryId: AWKWARD_INT64S[n % 12] ?? 0n }),
          id: id * 3n,
        },
        record: recordOf(`${id}`.padStart(64, "k"), "f".repeat(64)),
      }));
      await pets.storePets(archived);
      await pets.storePets([]);
      assert.deepEqual(await readAll(pets), archived, "what was stored at once");
      assert.deepEqual(await readAll(pets, 99), archived, "what was read in pages of 99");
    },
  ),
  archiveCase(
    "refuses a conflict",
    "storePets rejects with a PetConflict if an id or a record's key is there with other content, and changes nothing that is there.",
    async (pets) => {
      async function conflicts(what: string, id: bigint, ...given: ArchivedPet[]): Promise<void> {
        const seen: unknown = await pets.storePets(given).catch((error: unknown) => error);
        const outcome = seen === undefined ? "resolved" : `rejected with ${String(seen)}`;
        assert(isPetConflict(seen), `storePets with ${what} ${outcome}, expected a PetConflict`);
        assert.equal(seen.id, id, `the id that the PetConflict of ${what} names`);
        const stored = (await readAll(pets)).slice(0, 2);
        assert.deepEqual(stored, [FIRST, SECOND], `what is stored, after ${what} was refused,`);
      }
      await pets.storePets([FIRST, SECOND]);
      for (const [what, pet] of Object.entries(CONFLICTS))
        await conflicts(`a pet with ${what}`, pet.pet.id, pet);
      const [one, twin] = [40n, 50n].map((id) => ({ pet: { ...FIRST.pet, id }, record: recordOf("twice") }));
      await conflicts("two pets of one key", 50n, one as ArchivedPet, twin as ArchivedPet);
    },
  ),
  archiveCase(
    "gives no id that was stored",
    "highestId answers the highest id ever given or stored, or a higher one below which none will be given; 0 if there is none. create gives only ids above.",
    async (pets) => {
      assert.equal(await pets.highestId(), 0n, "highestId of a new storage");
      const created = ids(await createPets(pets, 2));
      await pets.storePets(archivedPets(idsUpTo(60, 3n).filter((id) => !created.includes(id))));
      await givesAbove(pets, 180n, "after ids up to 180 were stored");
      const high = (await pets.highestId()) + 1_000n;
      await pets.storePets(archivedPets([high]));
      await givesAbove(pets, high, `after the id ${high} was stored`);
    },
  ),
  archiveCase(
    "raises ids",
    "After raiseIds, and over restarts, create gives only ids above, or rejects if none is left below 2^53; if it does so already, nothing changes.",
    async (pets, { storage, reopen, close }) => {
      for (const id of [0n, 5n, 2n ** 31n, 2n ** 32n, 2n ** 50n]) {
        await pets.raiseIds(id);
        await givesAbove(pets, id, `after raiseIds(${id})`);
      }
      await pets.raiseIds(1n);
      await givesAbove(pets, 2n ** 50n, "after raiseIds(1), which changes nothing,");
      const [high, last] = [2n ** 51n, 2n ** 53n - 1n];
      await pets.raiseIds(high);
      let later = pets;
      if (storage.reopen) {
        await close(pets);
        later = archiveOf(await reopen());
      }
      await givesAbove(later, high, `after raiseIds(${high}) and a restart`);
      await later.raiseIds(last);
      const highest = await later.highestId();
      assert(highest >= last, `highestId after raiseIds(${last}) is ${highest}`);
      const given = await create(later).catch(() => undefined);
      assert(!given, `create gave the id ${given?.id} after raiseIds(${last})`);
    },
  ),
  archiveCase(
    "raises ids of every instance",
    "Of two instances on one storage, neither gives an id that the other has received.",
    async (pets, { reopen }) => {
      const other = archiveOf(await reopen());
      const created = ids([...(await createPets(pets, 2)), ...(await createPets(other, 2))]);
      // Among the ids that both would give next, even if each has reserved a block of them.
      const next = new Set(created.flatMap((id) => idsUpTo(30).map((n) => id + n)));
      const missing = [...next].filter((id) => !created.includes(id)).sort((a, b) => (a < b ? -1 : 1));
      await pets.storePets(archivedPets(missing));
      const given = ids(await atOnce(40, (n) => create(n % 2 ? pets : other)));
      const all = [...created, ...missing, ...given];
      assert.equal(new Set(all).size, all.length, "the number of ids stored by one and given by both");
    },
    "shared",
    "reopen",
  ),
];
