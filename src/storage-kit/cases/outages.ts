import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { isPetstoreError } from "../../domain/errors.js";
import type { Pet } from "../../domain/pet.js";
import { type Call, everyCall } from "../calls.js";
import { type Case, type Instance, inTime } from "../contract-case.js";
import { create, createPets, expectGet, ids, list, recordOf } from "../samples.js";
import { callText, describeError, expectSame } from "../seen.js";
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
      // One that is not shared may have an instance already; its server has room for another storage.
      const opening = storage.shared && storage.reopen ? storage.reopen() : storage.open();
      const { pets, close } = await inTime(() => "open()", opening, HEALING);
      await inTime(() => "list(…)", list(pets, { limit: 1 }), HEALING).finally(close);
      return;
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

/** Operations that may know their answer without the server. */
const FROM_MEMORY = ["countPets", "raiseIds"];

function calls(instance: Instance, n: number): readonly Pick<Call, "operation" | "values" | "ask">[] {
  return [{ operation: "ping", values: [], ask: instance.ping }, ...everyCall(instance, n)];
}

/** Asserts that every operation rejects in time. */
async function rejects(instance: Instance): Promise<void> {
  for (const n of [1, 2]) {
    const rejections = calls(instance, n).map(async ({ operation, values, ask }) => {
      const what = `${callText(operation, values)}, while the storage was away,`;
      const resolved = (await resolves(what, ask())) && !FROM_MEMORY.includes(operation);
      assert(!resolved, `${what} resolved, expected storage_unavailable`);
    });
    await Promise.all(rejections);
  }
}

/** Asserts that every operation works again in time. */
async function heals(instance: Instance): Promise<void> {
  const end = performance.now() + HEALING;
  for (const { operation, values, ask } of calls(instance, 3)) {
    const what = `${callText(operation, values)}, after the storage came back,`;
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
        const idle = storage.shared ? await reopen() : instance;
        await idle.ping();
        await during(storage, outageOf(storage), async () => {
          // Long enough for errors of an idle connection.
          await pause(1_000);
          await rejects(instance);
        });
        await Promise.all([instance, idle].map((one) => heals(one)));
        const still = (await list(pets)).filter(({ id }) => ids(before).includes(id));
        expectSame("list(…), of the pets that were there before the outage,", still, before);
      },
    },
    {
      name: `${kind}: opens`,
      rule: `open resolves within 10 seconds while ${away}. The instance rejects every operation in time, and works by itself once the storage is back.`,
      needs: [kind, "reopen"],
      async check(instance, { storage, reopen }) {
        await instance.close();
        let opened = instance;
        await during(storage, outageOf(storage), async () => {
          opened = await reopen();
          await rejects(opened);
        });
        await heals(opened);
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
          await heals(instance);
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
