import assert from "node:assert/strict";
import { type ArchivedPet, isPetConflict, type PetArchive } from "../../application/ports/pet-archive.js";
import type { Storage } from "../../application/storage-adapter.js";
import { INT64_MAX, INT64_MIN, LAST_ID, PET_STATUSES, type Pet } from "../../domain/pet.js";
import { create, createMany, distinct, idsOf, list, rejects, same, shows } from "../checks.js";
import type { Case } from "../contract-case.js";
import { show } from "../messages.js";
import { AWKWARD_INT64S, AWKWARD_NAMES, atOnce, oneTo, pick, recordOf, somePet } from "../samples.js";

/** Returns pets with these ids and awkward values, every second one with a record of maximum length. */
function archivedPets(ids: readonly bigint[]): ArchivedPet[] {
  return ids.map((id, n) => {
    const [name, status] = [pick(AWKWARD_NAMES, n), pick(PET_STATUSES, n)];
    const pet = { id, name, categoryId: pick(AWKWARD_INT64S, n), status };
    const record = recordOf(`${id}`.padStart(64, "k"), `${id}`.padStart(64, "f"));
    return { pet, record: n % 2 ? record : undefined };
  });
}

async function read(archive: PetArchive, after: bigint, limit: number): Promise<ArchivedPet[]> {
  return (await archive.readPets({ after, limit })).map(({ pet, record }) => ({ pet, record }));
}

/** Expects highestId to be at least this id, and create to assign only ids above it. */
async function expectAbove({ pets, archive }: Storage, id: bigint): Promise<void> {
  const highest = (await archive?.highestId()) ?? 0n;
  assert(highest >= id, `highestId() is ${highest}, expected ${id} or more`);
  const [lowest = 0n] = idsOf(await createMany(pets, 20));
  assert(lowest > id && lowest <= LAST_ID, `create(…) assigned the id ${lowest}, expected one above ${id}`);
}

/** Raises ids while it creates pets, and adds their ids to `given`. */
async function raiseBesideCreates(
  { pets, archive }: Storage,
  given: bigint[],
  step: bigint,
  raise: (id: bigint) => Promise<void>,
): Promise<void> {
  let raised = 0n;
  const createOne = async () => {
    const before = raised;
    const { id } = await create(pets);
    assert(id > before, `create(…) assigned the id ${id} after ${before} was raised or stored`);
    given.push(id);
  };
  const tenTimes = async (run: (n: number) => Promise<void>) => {
    for (let n = 0; n < 10; n++) await run(n);
  };
  const raiseNext = async (n: number) => {
    const highest = (await archive?.highestId()) ?? 0n;
    assert(highest >= raised, `highestId() is ${highest} after ${raised} was raised or stored`);
    await raise(highest + step);
    raised = highest + step;
    // Otherwise the next raise might hide a fault of this one.
    if (n % 2) await createOne();
  };
  await Promise.all([tenTimes(raiseNext), atOnce(4, () => tenTimes(createOne))]);
}

export const ARCHIVE_CASES: readonly Case[] = [
  {
    name: "archive: reads pets with their records",
    rule: "readPets resolves to the first `limit` stored pets after any int64, in ascending order of id, each with the record of its create; fewer only if there are no more.",
    needs: ["archive"],
    async check({ pets, archive }) {
      assert(archive);
      const all: ArchivedPet[] = [];
      for (const n of oneTo(9)) {
        const record = n % 2n ? recordOf(`key ${n}`) : undefined;
        all.push({ pet: await create(pets, { categoryId: n }, record), record });
      }
      all.sort((one, other) => Number(one.pet.id - other.pet.id));
      for (const after of [INT64_MIN, -1n, 0n, ...all.map(({ pet }) => pet.id), 2n ** 53n + 1n, INT64_MAX]) {
        for (const limit of [1, 3, 9, 1000]) {
          const wanted = all.filter(({ pet }) => pet.id > after).slice(0, limit);
          same(await read(archive, after, limit), wanted);
        }
      }
    },
  },
  {
    name: "archive: stores pets under their ids",
    rule: "storePets stores up to 1000 pets exactly, under their ids; get, list and create know them and their records, and countPets estimates their number. A pet that exists exactly as given counts as stored: a batch may come again, in part, or twice at once.",
    needs: ["archive"],
    async check({ pets, archive }) {
      assert(archive);
      const archived = archivedPets([...oneTo(996).map((n) => n * 3n), 2n ** 31n, 2n ** 32n + 1n, 2n ** 51n]);
      // Below, between and above the ids that exist already.
      for (const rest of [1, 0]) await archive.storePets(archived.filter((_, n) => n % 3 === rest));
      await atOnce(5, () => archive.storePets(archived));
      await archive.storePets([]);
      same(await read(archive, 0n, 1000), archived);
      const count = await archive.countPets();
      const isNear = typeof count === "number" && count > 100 && count < 10_000;
      assert(isNear, `countPets() is ${show(count)}, expected about 999`);
      const stored = archived.map(({ pet }) => pet);
      same(await list(pets), stored);
      for (const { pet, record } of archived.slice(-40)) await shows(pets, pet, record);
    },
  },
  {
    name: "archive: refuses a conflict",
    rule: "storePets rejects with a PetConflict with the id of the given pet, if its id or its record's key exists with different content, anywhere in the batch, or in a concurrent one. It changes nothing that is stored; each other pet of the batch is then stored exactly as given, or not at all.",
    needs: ["archive"],
    async check({ archive }) {
      assert(archive);
      const [pet, record] = [{ ...somePet(), id: 10n }, recordOf("key")];
      const changes: Partial<Pet>[] = [{ name: "rex" }, { categoryId: 8n }, { status: "sold" }, { id: 20n }];
      const conflicts: ArchivedPet[] = [
        ...changes.map((change) => ({ pet: { ...pet, ...change }, record })),
        ...[undefined, recordOf("other"), recordOf("key", "other")].map((record) => ({ pet, record })),
      ];
      const [below, above] = [archivedPets(oneTo(9)), archivedPets(oneTo(9).map((n) => n + 20n))];
      const stored = [...below.slice(0, 1), { pet, record }];
      await archive.storePets(stored);
      for (const conflict of conflicts) {
        for (const batch of [[conflict], [...below, conflict, ...above]]) {
          const { id } = conflict.pet;
          const isRight = (error: unknown) => isPetConflict(error) && error.id === id;
          await rejects("storePets(…)", archive.storePets(batch), `a PetConflict with id ${id}`, isRight);
        }
        const found = await read(archive, 0n, 100);
        const ids = idsOf(found.map(({ pet }) => pet));
        const expected = [...below, { pet, record }, ...above].filter(({ pet }) => ids.includes(pet.id));
        same(found, expected);
        for (const { pet } of stored) assert(ids.includes(pet.id), `storePets(…) removed the pet ${pet.id}`);
      }
      await archive.storePets([...below, ...above]);
      same(await read(archive, 10n, 100), above);
      const rivals = ["one", "other"].map((name) => ({ pet: { ...pet, id: 99n, name }, record: undefined }));
      const storing = await Promise.allSettled(rivals.map((rival) => archive.storePets([rival])));
      const winners = rivals.filter((_, n) => storing[n]?.status === "fulfilled");
      same(await read(archive, 98n, 2), winners);
    },
  },
  {
    name: "archive: gives no id that was stored or raised",
    rule: "highestId resolves to the highest id ever assigned, stored or raised, or to a higher id up to which none will be assigned; to 0 if there is none. create assigns only higher ids, none twice, even after restarts and during raiseIds, and rejects once none is left.",
    needs: ["archive"],
    async check(storage, session) {
      const { pets, archive } = storage;
      assert(archive);
      assert.equal(await archive.highestId(), 0n);
      const given = idsOf(await createMany(pets, 2));
      await archive.storePets(archivedPets(oneTo(60).filter((id) => !given.includes(id))));
      await expectAbove(storage, 60n);
      const store = (id: bigint) => archive.storePets(archivedPets([id]));
      // After the raise this is a low id, which must not lower the highest one.
      const raiseAndStore = (id: bigint) => archive.raiseIds(id).then(() => store(id));
      for (let round = 0; round < 3; round++) {
        // A short step reveals a raise that overwrites creates; a long one, creates that overwrite a raise.
        await raiseBesideCreates(storage, given, 1n, archive.raiseIds);
        await raiseBesideCreates(storage, given, 1_000n, store);
        await raiseBesideCreates(storage, given, 1_000n, raiseAndStore);
      }
      distinct(given);
      for (const id of [2n ** 31n, 2n ** 32n, 2n ** 50n]) {
        // Raising to 1 afterwards is a no-op.
        for (const raised of [id, 1n]) await archive.raiseIds(raised);
        await expectAbove(storage, id);
      }
      await archive.raiseIds(2n ** 51n);
      const later = await session.restart(storage);
      await expectAbove(later, 2n ** 51n);
      await later.archive?.raiseIds(LAST_ID);
      await rejects(`create(…) after raiseIds(${LAST_ID})`, create(later.pets), "a rejection");
    },
  },
  {
    name: "archive: raises ids of every instance",
    rule: "No instance of a storage assigns an id that another instance has stored.",
    needs: ["archive", "shared", "reopen"],
    async check(storage, session) {
      const { pets, archive } = storage;
      assert(archive);
      const other = (await session.another(storage)).pets;
      const given = idsOf([...(await createMany(pets, 2)), ...(await createMany(other, 2))]);
      // Both would assign some of these next, even from reserved blocks.
      const next = new Set(given.flatMap((id) => oneTo(30).map((n) => id + n)));
      const missing = [...next].filter((id) => !given.includes(id)).sort((a, b) => Number(a - b));
      await archive.storePets(archivedPets(missing));
      const later = await atOnce(40, (n) => create(n % 2 ? pets : other));
      distinct([...given, ...missing, ...idsOf(later)]);
    },
  },
];
