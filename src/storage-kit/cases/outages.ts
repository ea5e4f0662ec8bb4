import assert from "node:assert/strict";
import type { Storage } from "../../application/storage-adapter.js";
import { isStorageUnavailable } from "../../domain/errors.js";
import type { Pet } from "../../domain/pet.js";
import { checkReadings, create, createMany, inOrder, list, same, shows } from "../checks.js";
import type { Case } from "../contract-case.js";
import { CallRejected } from "../messages.js";
import { atOnce, callsOf, recordOf, sleep } from "../samples.js";
import { Session } from "../session.js";

/** Limit of an operation (ms): the promised 5 s, and half a second for a busy machine. */
const DEADLINE = 5_500;

/** How long a storage may take to recover once it is back (ms). */
const RECOVERY_LIMIT = 10_000;

type Kind = "outage" | "pause";

/** Resolves to false if a call rejects with `storage_unavailable`. @throws any other failure */
async function works(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof CallRejected && isStorageUnavailable(error.cause)) return false;
    throw error;
  }
}

async function until(holds: () => Promise<boolean>, limit: number, what: string): Promise<void> {
  const late = new AbortController();
  setTimeout(() => late.abort(), limit).unref();
  while (!(await holds())) {
    assert(!late.signal.aborted, `${what} did not work ${limit / 1000} s after the storage came back`);
    await sleep(100);
  }
}

/** Only countPets and raiseIds may resolve without the server. */
async function expectUnavailable(storage: Storage): Promise<void> {
  for (const n of [1, 2]) {
    const calls = Object.entries(callsOf(storage, n));
    const resolved = await Promise.all(calls.map(([, call]) => works(call())));
    const names = calls.map(([name]) => name).filter((_, at) => resolved[at]);
    const wrong = names.find((name) => name !== "countPets" && name !== "raiseIds");
    assert(!wrong, `${wrong} resolved while the storage was down, expected storage_unavailable`);
  }
}

async function expectRecovered(storage: Storage): Promise<void> {
  const calls = Object.entries(callsOf(storage, 3));
  await Promise.all(calls.map(([name, call]) => until(() => works(call()), RECOVERY_LIMIT, name)));
}

/** Takes the storage down during the work. Resolves once a new instance works, as the next case requires. */
async function during(session: Session, kind: Kind, work: () => Promise<unknown>): Promise<void> {
  const server = session.tested[kind];
  try {
    await session.help(`${kind}.down()`, () => server?.down());
    await work();
  } finally {
    await session.help(`${kind}.up()`, () => server?.up());
    await until(() => works(useNewInstance(session)), 60_000, "a new instance");
  }
}

async function useNewInstance({ tested, url }: Session): Promise<void> {
  const session = new Session(tested, RECOVERY_LIMIT);
  // A storage that is not shared may still be open; then a new storage on the same server will do.
  const { pets, close } = await (tested.adapter.shared ? session.open(true, url) : session.create());
  await list(pets, { limit: 1 }).finally(close);
}

/** @param down completes "While …" in the rules */
function casesOf(kind: Kind, down: string): readonly Case[] {
  return [
    {
      name: `${kind}: rejects in time`,
      rule: `While ${down} every operation, ping too, rejects with storage_unavailable within 5 seconds, and readings go on. Once it is back every operation works again by itself within 10 seconds, even on an idle instance.`,
      needs: [kind],
      limit: DEADLINE,
      async check(storage, session) {
        const before = await createMany(storage.pets, 5);
        const idle = await session.another(storage);
        await idle.ping();
        await during(session, kind, async () => {
          // Long enough for an idle connection to fail.
          await sleep(1_000);
          await expectUnavailable(storage);
          checkReadings(session.readings);
        });
        await Promise.all([storage, idle].map(expectRecovered));
        for (const pet of before) await shows(storage.pets, pet);
      },
    },
    {
      name: `${kind}: opens`,
      rule: `open resolves within 10 seconds while ${down}. Every operation then rejects in time, and works by itself once the storage is back. close settles within 10 seconds, too, even with an operation in flight.`,
      needs: [kind, "reopen"],
      limit: DEADLINE,
      async check(storage, session) {
        const other = await session.another(storage);
        let opened = storage;
        await during(session, kind, async () => {
          for (const { pets, close } of new Set([storage, other]))
            await Promise.all([works(create(pets)), works(close())]);
          opened = await session.open();
          await expectUnavailable(opened);
        });
        await expectRecovered(opened);
      },
    },
    {
      name: `${kind}: loses nothing it answered`,
      rule: `A pet that create resolved to is durable, even if at that moment ${down}; a create repeated with its key stores one pet.`,
      needs: [kind],
      limit: DEADLINE,
      async check(storage, session) {
        const { pets } = storage;
        const confirmed: Pet[] = [];
        const createNumber = (n: number) =>
          create(pets, { name: "numbered", categoryId: BigInt(n) }, recordOf(`number ${n}`));
        // Four at once, every 25 ms: before, while and after the storage goes down.
        const creating = atOnce(400, async (n) => {
          await sleep(25 * (n % 100));
          await works(createNumber(n).then((pet) => confirmed.push(pet)));
        });
        const outage = sleep(500).then(() => during(session, kind, () => sleep(1_000)));
        await Promise.all([creating, outage]).finally(() => outage);
        await expectRecovered(storage);
        const repeated: Pet[] = [];
        for (let n = 0; n < 400; n++) repeated.push(await createNumber(n));
        for (const pet of confirmed) same(repeated[Number(pet.categoryId)], pet);
        const stored = (await list(pets)).filter(({ name }) => name === "numbered");
        same(stored, inOrder(repeated));
      },
    },
  ];
}

export const OUTAGE_CASES: readonly Case[] = [
  ...casesOf("outage", "the storage is down"),
  ...casesOf("pause", "the server of the storage accepts connections, but never responds"),
];
