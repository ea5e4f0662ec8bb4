import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { isPetstoreError } from "../../domain/errors.js";
import type { Pet } from "../../domain/pet.js";
import { type Case, type Instance, inTime } from "../contract-case.js";
import { create, createPets, get, ids, list, recordOf, somePet } from "../samples.js";
import type { StorageUnderTest } from "../storage-under-test.js";

/** The 5 s that the port grants to a storage over a network, and the time that a busy machine may add, in milliseconds. */
const DEADLINE = 5_000 + 500;

/** How soon after the storage returns every operation must work, in milliseconds. */
const HEALING = 10_000;

/** Takes the storage away, does the work, and brings the storage back. */
async function duringOutage(storage: StorageUnderTest, work: () => Promise<unknown>): Promise<void> {
  await storage.outage?.down();
  try {
    await work();
  } finally {
    await storage.outage?.up();
  }
}

/** Whether the operation resolves. Asserts that it otherwise rejects with storage_unavailable, in time. */
async function resolves(what: string, operation: Promise<unknown>): Promise<boolean> {
  const settled = operation.then(
    () => true,
    (error: unknown) => {
      const isKnown = isPetstoreError(error) && error.code === "storage_unavailable";
      assert(isKnown, `${what} rejected with ${String(error)}, expected storage_unavailable`);
      return false;
    },
  );
  return inTime(what, settled, DEADLINE);
}

function operations(instance: Instance, pet: Pet, key: string): [string, () => Promise<unknown>][] {
  const { pets, archive, ping } = instance;
  // Under a name of its own, since one case counts pets with a key by their names.
  const stored = { pet: { ...pet, name: "stored", id: pet.id + 1_000_000n }, record: undefined };
  return Object.entries({
    create: () => create(pets),
    "create with a record": () => pets.create(somePet(), recordOf(key)),
    get: () => pets.get(pet.id),
    list: () => list(pets, { limit: 20 }),
    "list by status": () => list(pets, { status: "sold", limit: 20 }),
    ping,
    ...(archive && {
      readPets: () => archive.readPets({ after: 0n, limit: 10 }),
      storePets: () => archive.storePets([stored]),
      highestId: () => archive.highestId(),
    }),
  });
}

/** Asserts that every operation works again in time. */
async function heals(instance: Instance, pet: Pet): Promise<void> {
  const end = performance.now() + HEALING;
  for (const [name, ask] of operations(instance, pet, "healed")) {
    const what = `${name}, after the storage came back,`;
    while (!(await resolves(what, ask()))) {
      assert(performance.now() < end, `${what} did not work within 10 s`);
      await pause(100);
    }
  }
}

/** Cases: a storage that is away, and its return. */
export const OUTAGE_CASES: readonly Case[] = [
  {
    name: "outage: rejects in time",
    rule: "While the storage is away every operation, ping too, rejects with storage_unavailable within 5 seconds. Once it is back every operation works again by itself within 10 seconds, even on an idle instance.",
    needs: ["outage"],
    async check(instance, { storage, reopen }) {
      const { pets } = instance;
      const before = await createPets(pets, 5);
      const [pet] = before as [Pet];
      const idle = storage.shared ? await reopen() : instance;
      await idle.ping();
      await duringOutage(storage, async () => {
        // Long enough for errors of an idle connection.
        await pause(1_000);
        for (const key of ["first", "second"]) {
          const rejections = operations(instance, pet, key).map(async ([name, ask]) => {
            const what = `${name}, while the storage was away,`;
            assert(!(await resolves(what, ask())), `${what} resolved, expected storage_unavailable`);
          });
          await Promise.all(rejections);
        }
      });
      await Promise.all([instance, idle].map((one) => heals(one, pet)));
      const kept = (await list(pets)).filter(({ id }) => ids(before).includes(id));
      assert.deepEqual(kept, before, "those pets of the list that were there before the outage");
    },
  },
  {
    name: "outage: loses nothing it answered",
    rule: "A pet that create answered is durable, even if the storage goes away at that moment; a create repeated with its key stores one pet.",
    needs: ["outage"],
    async check(instance, { storage }) {
      const { pets } = instance;
      const keys: string[] = [];
      const answered: Pet[] = [];
      async function createWith(key: string): Promise<void> {
        answered.push(await create(pets, { name: key }, recordOf(key)));
      }
      let stopped = false;
      async function createOneByOne(): Promise<void> {
        while (!stopped) {
          const key = `key ${keys.length}`;
          keys.push(key);
          await resolves("create, asked as the storage went away,", createWith(key));
          // So that a fast storage does not fill up.
          await pause(20);
        }
      }
      const creating = Promise.all(Array.from({ length: 8 }, createOneByOne));
      // The code below awaits it; until then a failure must not count as unhandled.
      creating.catch(() => undefined);
      try {
        for (let waited = 0; answered.length === 0 && waited < HEALING; waited += 100) await pause(100);
        assert(answered.length > 0, "no create was answered within 10 s");
        await pause(500);
        await duringOutage(storage, () => pause(1_000));
        await heals(instance, answered[0] as Pet);
      } finally {
        stopped = true;
        await creating;
      }
      for (const key of keys) await createWith(key);
      for (const pet of answered) {
        assert.deepEqual(await get(pets, pet.id), pet, `pet ${pet.id}, which create answered,`);
      }
      const named = (await list(pets)).filter(({ name }) => name.startsWith("key ")).length;
      assert.equal(named, keys.length, "the number of pets with a key");
    },
  },
];
