import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { isPetstoreError } from "../../domain/errors.js";
import type { Pet } from "../../domain/pet.js";
import { type Case, type Instance, inTime } from "../contract-case.js";
import { create, createPets, expectGet, get, ids, list, recordOf } from "../samples.js";
import { describeError, expectSame } from "../seen.js";
import type { Outage, StorageUnderTest } from "../storage-under-test.js";

/** The 5 s that the port grants to a storage over a network, and the time that a busy machine may add, in milliseconds. */
const DEADLINE = 5_000 + 500;

/** How soon after the storage returns every operation must work, in milliseconds. */
const HEALING = 10_000;

/** How long to wait for a server that is coming back, in milliseconds. */
const RETURN = 60_000;

/** Takes the storage away, does the work, and brings the storage back, whatever becomes of the work. */
async function during(
  storage: StorageUnderTest,
  outage: Outage,
  work: () => Promise<unknown>,
): Promise<void> {
  await outage.down();
  try {
    await work();
  } finally {
    await outage.up();
    await untilItAnswers(storage);
  }
}

/** Waits for an answer to a new instance: the server may take a while, and the next case needs it, too. */
async function untilItAnswers(storage: StorageUnderTest): Promise<void> {
  const end = performance.now() + RETURN;
  for (;;) {
    try {
      const { pets, close } = await inTime(() => "open()", storage.reopen?.() ?? storage.open(), HEALING);
      try {
        await inTime(() => "list(…)", list(pets, { limit: 1 }), HEALING);
        return;
      } finally {
        await close();
      }
    } catch (error) {
      const seen = describeError(error);
      assert(performance.now() < end, `open(), of a new instance, works not even 60 s later: ${seen}`);
      await pause(200);
    }
  }
}

/** Whether the operation resolves. Asserts that it otherwise rejects with storage_unavailable, in time. */
async function resolves(what: string, operation: Promise<unknown>): Promise<boolean> {
  const settled = operation.then(
    () => true,
    (error: unknown) => {
      const isKnown = isPetstoreError(error) && error.code === "storage_unavailable";
      assert(isKnown, `${what} rejected with ${describeError(error)}, expected storage_unavailable`);
      return false;
    },
  );
  return inTime(() => what, settled, DEADLINE);
}

function operations(instance: Instance, pet: Pet, key: string): [string, () => Promise<unknown>][] {
  const { pets, archive, ping } = instance;
  // Under a name of its own, since one case counts pets with a key by their names.
  const stored = { pet: { ...pet, name: "stored", id: pet.id + 1_000_000n }, record: undefined };
  return Object.entries({
    "create(…)": () => create(pets),
    "create(…), with a record": () => create(pets, {}, recordOf(key)),
    "get(…)": () => get(pets, pet.id),
    "list(…)": () => list(pets, { limit: 20 }),
    "list(…), by status": () => list(pets, { status: "sold", limit: 20 }),
    "ping()": ping,
    ...(archive && {
      "readPets(…)": () => archive.readPets({ after: 0n, limit: 10 }),
      "storePets(…)": () => archive.storePets([stored]),
      "highestId()": () => archive.highestId(),
    }),
  });
}

/** Asserts that every operation rejects in time. */
async function rejects(instance: Instance, pet: Pet): Promise<void> {
  for (const key of ["first", "second"]) {
    const rejections = operations(instance, pet, key).map(async ([name, ask]) => {
      const what = `${name}, while the storage was away,`;
      assert(!(await resolves(what, ask())), `${what} resolved, expected storage_unavailable`);
    });
    await Promise.all(rejections);
  }
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

/** The cases of a storage that is away, and of its return. `away` says for the rules how it is away. */
function casesOf(kind: "outage" | "pause", away: string): readonly Case[] {
  const outageOf = (storage: StorageUnderTest) => storage[kind] as Outage;
  return [
    {
      name: `${kind}: rejects in time`,
      rule: `While ${away} every operation, ping too, rejects with storage_unavailable within 5 seconds. Once it is back every operation works again by itself within 10 seconds, even on an idle instance.`,
      needs: [kind],
      async check(instance, { storage, reopen }) {
        const { pets } = instance;
        const before = await createPets(pets, 5);
        const [pet] = before as [Pet];
        const idle = storage.shared ? await reopen() : instance;
        await idle.ping();
        await during(storage, outageOf(storage), async () => {
          // Long enough for errors of an idle connection.
          await pause(1_000);
          await rejects(instance, pet);
        });
        await Promise.all([instance, idle].map((one) => heals(one, pet)));
        const kept = (await list(pets)).filter(({ id }) => ids(before).includes(id));
        expectSame("list(…), of the pets that were there before the outage,", kept, before);
      },
    },
    {
      name: `${kind}: opens`,
      rule: `open resolves within 10 seconds while ${away}. The instance rejects every operation in time, and works by itself once the storage is back.`,
      needs: [kind, "reopen"],
      async check(instance, { storage, reopen }) {
        const pet = await create(instance.pets);
        await instance.close();
        let opened: Instance | undefined;
        await during(storage, outageOf(storage), async () => {
          opened = await inTime(() => "open(), while the storage was away,", reopen(), HEALING);
          await rejects(opened, pet);
        });
        await heals(opened as Instance, pet);
      },
    },
    {
      name: `${kind}: loses nothing it answered`,
      rule: `A pet that create answered is durable, even if at that moment ${away}; a create repeated with its key stores one pet.`,
      needs: [kind],
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
            await resolves("create(…), asked as the storage went away,", createWith(key));
            // So that a fast storage does not fill up.
            await pause(20);
          }
        }
        const creating = Promise.all(Array.from({ length: 8 }, createOneByOne));
        // The code below awaits it; until then a failure must not count as unhandled.
        creating.catch(() => undefined);
        try {
          for (let waited = 0; answered.length === 0 && waited < HEALING; waited += 100) await pause(100);
          assert(answered.length > 0, "create(…) was not answered within 10 s");
          await pause(500);
          await during(storage, outageOf(storage), () => pause(1_000));
          await heals(instance, answered[0] as Pet);
        } finally {
          stopped = true;
          await creating;
        }
        for (const key of keys) await createWith(key);
        for (const pet of answered) {
          await expectGet(pets, pet.id, pet, ", of a pet that create had answered,");
        }
        const named = (await list(pets)).filter(({ name }) => name.startsWith("key ")).length;
        expectSame("list(…): the number of pets with a key", named, keys.length);
      },
    },
  ];
}

/** Cases: a storage that is away, and its return. */
export const OUTAGE_CASES: readonly Case[] = [
  ...casesOf("outage", "the storage is away"),
  ...casesOf("pause", "the server of the storage accepts connections, but never greets or answers"),
];
