import { setTimeout as sleep } from "node:timers/promises";
import type { Pet } from "../../domain/pet.js";
import { expectHealed, expectUnavailable, HEALING, until, works } from "../availability.js";
import { create, createMany, inOrder, list, same, shows } from "../checks.js";
import type { Case } from "../contract-case.js";
import { atOnce, recordOf } from "../samples.js";
import { Session } from "../session.js";
import type { StorageUnderTest } from "../storage-under-test.js";

/** In milliseconds: the promised 5 s, and half a second for a busy machine. */
const DEADLINE = 5_500;

type Kind = "outage" | "pause";

/** Takes the storage away during the work. Resolves once a new instance works, as the next case requires. */
async function during(tested: StorageUnderTest, kind: Kind, work: () => Promise<unknown>): Promise<void> {
  await tested[kind]?.down();
  try {
    await work();
  } finally {
    await tested[kind]?.up();
    await until(() => works(useNewInstance(tested)), 60_000, "a new instance");
  }
}

async function useNewInstance(tested: StorageUnderTest): Promise<void> {
  // A storage that is not shared may still be open; then a new storage on the same server will do.
  const open = async () => (tested.shared && tested.reopen ? tested.reopen() : tested.open());
  const { pets, close } = await new Session(HEALING).open(open);
  await list(pets, { limit: 1 }).finally(close);
}

/** @param away how the rules describe the storage meanwhile */
function casesOf(kind: Kind, away: string): readonly Case[] {
  return [
    {
      name: `${kind}: rejects in time`,
      rule: `While ${away} every operation, ping too, rejects with storage_unavailable within 5 seconds. Once it is back every operation works again by itself within 10 seconds, even on an idle instance.`,
      needs: [kind],
      limit: DEADLINE,
      async check(storage, { tested, reopen }) {
        const before = await createMany(storage.pets, 5);
        const idle = tested.shared ? await reopen() : storage;
        await idle.ping();
        await during(tested, kind, async () => {
          // Long enough for an idle connection to fail.
          await sleep(1_000);
          await expectUnavailable(storage);
        });
        await Promise.all([storage, idle].map(expectHealed));
        for (const pet of before) await shows(storage.pets, pet);
      },
    },
    {
      name: `${kind}: opens`,
      rule: `open resolves within 10 seconds while ${away}. Every operation then rejects in time, and works by itself once the storage is back.`,
      needs: [kind, "reopen"],
      limit: DEADLINE,
      async check(storage, { tested, reopen }) {
        await storage.close();
        let opened = storage;
        await during(tested, kind, async () => {
          opened = await reopen();
          await expectUnavailable(opened);
        });
        await expectHealed(opened);
      },
    },
    {
      name: `${kind}: loses nothing it answered`,
      rule: `A pet that create resolved to is durable, even if at that moment ${away}; a create repeated with its key stores one pet.`,
      needs: [kind],
      limit: DEADLINE,
      async check(storage, { tested }) {
        const { pets } = storage;
        const confirmed: Pet[] = [];
        const createNumber = (n: number) =>
          create(pets, { name: "numbered", categoryId: BigInt(n) }, recordOf(`number ${n}`));
        // Four at once, every 25 ms: before, while and after the storage goes away.
        const creating = atOnce(400, async (n) => {
          await sleep(25 * (n % 100));
          await works(createNumber(n).then((pet) => confirmed.push(pet)));
        });
        const outage = sleep(500).then(() => during(tested, kind, () => sleep(1_000)));
        await Promise.all([creating, outage]).finally(() => outage);
        await expectHealed(storage);
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
  ...casesOf("outage", "the storage is away"),
  ...casesOf("pause", "the server of the storage accepts connections, but never greets or answers"),
];
