import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { type ArchivedPet, isPetConflict, type PetArchive } from "../../application/ports/pet-archive.js";
import { INT64_MAX, INT64_MIN } from "../../domain/int64.js";
import { LAST_ID, PET_STATUSES } from "../../domain/pet.js";
import { everyCall } from "../calls.js";
import { archiveOf, type Case, type Instance } from "../contract-case.js";
import {
  AWKWARD_INT64S,
  AWKWARD_NAMES,
  atOnce,
  create,
  createPets,
  expectList,
  expectReplayed,
  expectShown,
  ids,
  plain,
  recordOf,
  somePet,
} from "../samples.js";
import { callText, describeError, expectSame } from "../seen.js";

const NAMES = ["🐾".repeat(255), ...Object.values(AWKWARD_NAMES)];

/** Pets with the ids given, of all names and numbers; every second one has a record, of the longest. */
function archivedPets(ids: readonly bigint[]): ArchivedPet[] {
  return ids.map((id, n) => ({
    pet: {
      id,
      name: NAMES[n % NAMES.length] ?? "",
      categoryId: AWKWARD_INT64S[n % AWKWARD_INT64S.length] ?? 0n,
      status: PET_STATUSES[n % 3] ?? "sold",
    },
    record: n % 2 ? recordOf(`${id}`.padStart(64, "k"), `${id}`.padStart(64, "f")) : undefined,
  }));
}

/** The ids from 1 to `count`, times `step`. */
function idsUpTo(count: number, step = 1n): bigint[] {
  return Array.from({ length: count }, (_, n) => BigInt(n + 1) * step);
}

async function readPets(archive: PetArchive, after: bigint, limit: number): Promise<ArchivedPet[]> {
  const page = await archive.readPets({ after, limit });
  return page.map(({ pet, record }) => ({ pet: plain(pet), record: record && plain(record) }));
}

/** Reads every stored pet, page by page. */
async function readAll(archive: PetArchive, limit = 1000): Promise<ArchivedPet[]> {
  const all: ArchivedPet[] = [];
  for (;;) {
    const after = all.at(-1)?.pet.id ?? 0n;
    const page = await readPets(archive, after, limit);
    const [first] = page;
    if (first)
      assert(first.pet.id > after, `readPets(…), after ${after}, begins with the id ${first.pet.id}`);
    all.push(...page);
    if (page.length < limit) return all;
  }
}

/** Asserts that highestId is not too low, and that create gives only ids above. */
async function givesAbove(instance: Instance, id: bigint, what: string): Promise<void> {
  const highest = await archiveOf(instance).highestId();
  assert(
    typeof highest === "bigint" && highest >= id,
    `highestId() ${what} is ${highest}, not ${id} or more`,
  );
  for (const given of ids(await atOnce(20, () => create(instance.pets)))) {
    assert(given > id && given <= LAST_ID, `create(…) gave the id ${given} ${what}`);
  }
}

/** Asserts that the process waits for fewer than half as many events, such as answers, as the batch has pets. */
async function fewTrips(what: string, work: () => Promise<unknown>): Promise<void> {
  const before = performance.nodeTiming.uvMetricsInfo.events;
  await work();
  const events = performance.nodeTiming.uvMetricsInfo.events - before;
  assert(events < 500, `${what} waited for ${events} events, expected a few round trips`);
}

const [FIRST, SECOND] = [10n, 20n].map(
  (id): ArchivedPet => ({ pet: { ...somePet(), id }, record: recordOf(`key ${id}`) }),
) as [ArchivedPet, ArchivedPet];

/** Batches whose last pet conflicts; each of the first ones differs from a stored pet in one thing. */
const CONFLICTS: Readonly<Record<string, readonly ArchivedPet[]>> = {
  "another name": [{ ...SECOND, pet: { ...SECOND.pet, name: "rex" } }],
  "another categoryId": [{ ...SECOND, pet: { ...SECOND.pet, categoryId: 8n } }],
  "another status": [{ ...SECOND, pet: { ...SECOND.pet, status: "sold" } }],
  "no record, which the stored pet has,": [{ ...SECOND, record: undefined }],
  "another key": [{ ...SECOND, record: recordOf("other") }],
  "another fingerprint": [{ ...SECOND, record: recordOf("key 20", "other") }],
  "the key of another pet": [{ pet: { ...FIRST.pet, id: 30n }, record: recordOf("key 10") }],
  "the key of one before it": [40n, 50n].map((id) => ({
    pet: { ...FIRST.pet, id },
    record: recordOf("twice"),
  })),
};

/** Cases: storages whose pets can move out and in. */
export const ARCHIVE_CASES: readonly Case[] = [
  {
    name: "archive: says what it does not move",
    rule: "A storage with an archive and another port beside pets has unarchived, which names what no archive moves as soon as there is any, and answers undefined before.",
    needs: ["archive"],
    async check(instance) {
      const others = everyCall(instance).filter(({ port }) => port !== "pets" && port !== "archive");
      const { unarchived } = instance;
      assert(
        unarchived || !others[0],
        `the storage has an archive and ${others[0]?.port}, but no unarchived()`,
      );
      await create(instance.pets);
      expectSame("unarchived(), of a storage with a pet alone,", await unarchived?.(), undefined);
      for (const { kind, ask } of others) if (kind === "write") await ask();
      const told = await unarchived?.();
      assert(told || !others[0], `unarchived() is ${told}, of a storage that holds more than pets`);
    },
  },
  {
    name: "archive: reads pets with their records",
    rule: "readPets answers the first `limit` stored pets after any id in ascending order of id, each with the record of its create; fewer only if there are no more.",
    needs: ["archive"],
    async check(instance) {
      const [{ pets }, archive] = [instance, archiveOf(instance)];
      expectSame("countPets(), of an empty storage,", Number(await archive.countPets()), 0);
      const all: ArchivedPet[] = [];
      for (const n of idsUpTo(9)) {
        const record = n % 2n ? recordOf(`key ${n}`) : undefined;
        const pet = await create(pets, { categoryId: n }, record);
        if (record) await expectReplayed(pets, pet, record);
        all.push({ pet, record });
      }
      all.sort((one, other) => (one.pet.id < other.pet.id ? -1 : 1));
      const count = await archive.countPets();
      assert(typeof count === "number" && count >= 0, `countPets() is ${count}, of type ${typeof count}`);
      for (const after of [INT64_MIN, -1n, 0n, ...all.map(({ pet }) => pet.id), 2n ** 53n + 1n, INT64_MAX]) {
        for (const limit of [1, 3, 9, 1000]) {
          const wanted = all.filter(({ pet }) => pet.id > after).slice(0, limit);
          const call = callText("readPets", [{ after, limit }]);
          expectSame(call, await readPets(archive, after, limit), wanted);
        }
      }
    },
  },
  {
    name: "archive: stores pets under their ids",
    rule: "storePets takes up to 1000 pets at a time, and stores them exactly under the ids that they have; get, list and create know them and their records. It accepts a pet that is there exactly as given: a batch may come again, in part, or twice at once, below, between and above the ids that are there.",
    needs: ["archive"],
    async check(instance) {
      const [{ pets }, archive] = [instance, archiveOf(instance)];
      const high = [2n ** 31n, 2n ** 32n + 1n, 2n ** 40n, 2n ** 51n];
      const archived = archivedPets([...idsUpTo(996, 3n), ...high]);
      for (const rest of [1, 0]) await archive.storePets(archived.filter((_, n) => n % 3 === rest));
      await atOnce(5, () => archive.storePets(archived));
      await archive.storePets([]);
      const when = ", after storePets in part, whole, and again,";
      expectSame(`readPets(…)${when}`, await readAll(archive), archived);
      expectSame("readPets(…), in pages of 99,", await readAll(archive, 99), archived);
      const stored = archived.map(({ pet }) => pet);
      await expectList(pets, {}, stored, when);
      const sold = stored.filter(({ status }) => status === "sold");
      await expectList(pets, { status: "sold" }, sold, when);
      for (const { pet, record } of archived.slice(-40)) {
        await expectShown(pets, pet, when);
        if (record) await expectReplayed(pets, pet, record, " by storePets");
      }
    },
  },
  {
    name: "archive: moves a batch in a few round trips",
    rule: "storePets and readPets take one round trip for a whole batch of 1000 pets, or a few, and never one for each pet; countPets answers about how many there are.",
    needs: ["archive"],
    async check(instance) {
      const archive = archiveOf(instance);
      const batch = idsUpTo(1000).map((id) => ({ pet: { ...somePet(), id }, record: recordOf(`key ${id}`) }));
      await fewTrips("storePets(…), of 1000 pets,", () => archive.storePets(batch));
      await fewTrips("readPets(…), of 1000 pets,", () => archive.readPets({ after: 0n, limit: 1000 }));
      const count = await archive.countPets();
      assert(count >= 100 && count <= 10_000, `countPets(), of 1000 pets, is ${count}, expected about 1000`);
    },
  },
  {
    name: "archive: refuses a conflict",
    rule: "storePets rejects with a PetConflict if an id or a record's key is there with other content, and changes nothing that is there.",
    needs: ["archive"],
    async check(instance) {
      const archive = archiveOf(instance);
      await archive.storePets([FIRST, SECOND]);
      for (const [what, given] of Object.entries(CONFLICTS)) {
        const seen: unknown = await archive.storePets(given).catch((error: unknown) => error);
        const outcome = seen === undefined ? "resolved" : `rejected with ${describeError(seen)}`;
        assert(
          isPetConflict(seen),
          `storePets(…), of a pet with ${what}, ${outcome}, expected a PetConflict`,
        );
        expectSame(
          `storePets(…), of a pet with ${what}: the PetConflict's id`,
          seen.id,
          given.at(-1)?.pet.id,
        );
        const stored = await readPets(archive, 0n, 2);
        expectSame(`readPets(…), after ${what} was refused,`, stored, [FIRST, SECOND]);
      }
    },
  },
  {
    name: "archive: gives no id that was stored or raised",
    rule: "highestId answers the highest id ever given, stored or raised, or a higher one below which none will be given; 0 if there is none. create gives only ids above, also over restarts, or rejects if none is left below 2^53.",
    needs: ["archive"],
    async check(instance, { storage, restart }) {
      const [{ pets }, archive] = [instance, archiveOf(instance)];
      expectSame("highestId(), of a new storage,", await archive.highestId(), 0n);
      const created = ids(await createPets(pets, 2));
      await archive.storePets(archivedPets(idsUpTo(60, 3n).filter((id) => !created.includes(id))));
      await givesAbove(instance, 180n, "after ids up to 180 were stored");
      const high = (await archive.highestId()) + 1_000n;
      await archive.storePets(archivedPets([high]));
      await givesAbove(instance, high, `after the id ${high} was stored`);
      for (const id of [5n, 2n ** 31n, 2n ** 32n, 2n ** 50n]) {
        await archive.raiseIds(id);
        await givesAbove(instance, id, `after raiseIds(${id})`);
      }
      await archive.raiseIds(1n);
      await givesAbove(instance, 2n ** 50n, "after raiseIds(1), which changes nothing,");
      const [raised, last] = [2n ** 51n, LAST_ID];
      await archive.raiseIds(raised);
      const later = storage.reopen ? await restart(instance) : instance;
      await givesAbove(later, raised, `after raiseIds(${raised}) and a restart`);
      await archiveOf(later).raiseIds(last);
      const highest = await archiveOf(later).highestId();
      assert(highest >= last, `highestId(), after raiseIds(${last}), is ${highest}`);
      const given = await create(later.pets).catch(() => undefined);
      assert(!given, `create(…) gave the id ${given?.id} after raiseIds(${last})`);
    },
  },
  {
    name: "archive: raises ids of every instance",
    rule: "Of two instances on one storage, neither gives an id that the other has received.",
    needs: ["archive", "shared", "reopen"],
    async check(instance, { reopen }) {
      const [{ pets }, archive] = [instance, archiveOf(instance)];
      const { pets: other } = await reopen();
      const created = ids([...(await createPets(pets, 2)), ...(await createPets(other, 2))]);
      // Among the ids that both would give next, even if each has reserved a block of them.
      const next = new Set(created.flatMap((id) => idsUpTo(30).map((n) => id + n)));
      const missing = [...next].filter((id) => !created.includes(id)).sort((a, b) => (a < b ? -1 : 1));
      await archive.storePets(archivedPets(missing));
      const given = ids(await atOnce(40, (n) => create(n % 2 ? pets : other)));
      const all = [...created, ...missing, ...given];
      const what = "create(…), by both, after storePets by one: the number of ids";
      expectSame(what, new Set(all).size, all.length);
    },
  },
];
