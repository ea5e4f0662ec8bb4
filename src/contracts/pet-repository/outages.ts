import assert from "node:assert/strict";
import { asArchive } from "../../application/ports/pet-archive.js";
import type { IdempotencyRecord, PetRepository } from "../../application/ports/pet-repository.js";
import { isPetstoreError } from "../../domain/errors.js";
import type { Pet } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { pause, settled, within } from "../deadline.js";
import { same, samePet, samePets } from "../expect.js";
import { createPets, ids, inOrder, list, listAll, somePet } from "../samples.js";
import type { StorageUnderTest } from "../storage-under-test.js";

/** The 5 s that the port grants, and the time that a busy machine may add, in milliseconds. */
const DEADLINE = 5_000 + 500;
/** How soon after the storage returns every operation must work, in milliseconds. */
const HEALING = 10_000;

const NEEDS = ["outage"] as const;

/** Cases: a storage that is away, and its return. */
export const OUTAGE_CASES: readonly ContractCase[] = [
  contractCase({
    name: "outage: rejects in time",
    rule: "While the storage is away every operation, ping too, rejects with storage_unavailable within 5 seconds.",
    needs: NEEDS,
    async check(pets, { storage }) {
      const { pet } = await pets.create(somePet());
      await duringOutage(storage, async () => {
        for (const round of ["first", "second"]) {
          await Promise.all(
            Object.entries(operations(pets, pet, round)).map(([what, ask]) => rejects(what, ask)),
          );
        }
      });
      await heals(pets, pet);
    },
  }),
  contractCase({
    name: "outage: heals by itself",
    rule: "Once the storage is back every operation works again by itself within 10 seconds, even on an idle instance.",
    needs: NEEDS,
    async check(pets, { storage, reopen }) {
      const before = await createPets(pets, 5);
      const idle = storage.shared ? await reopen() : pets;
      await idle.ping();
      await duringOutage(storage, async () => {
        await pause(1_000);
        await Promise.all([1, 2, 3].map(() => pets.get(1n).catch(() => undefined)));
      });
      await Promise.all([pets, idle].map((instance) => heals(instance, before[0] as Pet)));
      const earlier = new Set(ids(before));
      const kept = (await listAll(pets)).filter(({ id }) => earlier.has(id));
      samePets(kept, inOrder(before), "those pets of the list that were there before the outage");
    },
  }),
  contractCase({
    name: "outage: loses nothing it answered",
    rule: "A pet that create answered is durable, even if the storage goes away at that moment; a create repeated with its key stores one pet.",
    needs: NEEDS,
    async check(pets, { storage }) {
      const load = new Load(pets);
      const working = load.run(8);
      // The code below awaits it; until then a failure must not count as unhandled.
      working.catch(() => undefined);
      await pause(500);
      assert(load.answered.length > 0, "no create was answered within half a second");
      await duringOutage(storage, () => pause(1_000));
      await heals(pets, load.answered[0] as Pet);
      load.stop();
      await working;
      await load.repeatKeys();
      const stored = await list(pets, { limit: 100_000 });
      const byId = new Map(stored.map((pet) => [pet.id, pet]));
      same(byId.size, stored.length, "the number of ids in the list");
      for (const pet of load.answered)
        samePet(byId.get(pet.id), pet, `pet ${pet.id}, which create answered,`);
      const keyed = stored.filter(({ name }) => name.startsWith("key "));
      same(
        new Set(keyed.map(({ name }) => name)).size,
        keyed.length,
        "the number of keys among pets with one",
      );
    },
  }),
];

/** Takes the storage away, does the work, and brings the storage back. */
async function duringOutage(storage: StorageUnderTest, work: () => Promise<unknown>): Promise<void> {
  await storage.outage?.down();
  try {
    await work();
  } finally {
    await storage.outage?.up();
  }
}

function operations(pets: PetRepository, pet: Pet, key: string): Record<string, () => Promise<unknown>> {
  const archive = asArchive(pets);
  return {
    create: () => pets.create(somePet()),
    "create with a record": () => pets.create(somePet(), { key, fingerprint: "fingerprint" }),
    get: () => pets.get(pet.id),
    list: () => list(pets, { limit: 20 }),
    "list by status": () => list(pets, { status: "sold", limit: 20 }),
    ping: () => pets.ping(),
    ...(archive && {
      readPets: () => archive.readPets({ after: 0n, limit: 10 }),
      // Under a name of its own: pets with a key are counted by their names.
      storePets: () =>
        archive.storePets([{ pet: { ...pet, name: "stored", id: pet.id + 1_000_000n }, record: undefined }]),
      highestId: () => archive.highestId(),
    }),
  };
}

async function rejects(what: string, ask: () => Promise<unknown>): Promise<void> {
  const outcome = await settled(
    `${what}, while the storage was away,`,
    ask().then(
      () => "resolved",
      (error: unknown) => error,
    ),
    DEADLINE,
  );
  const seen = outcome === "resolved" ? outcome : `rejected with ${String(outcome)}`;
  assert(
    isPetstoreError(outcome) && outcome.code === "storage_unavailable",
    `${what}, while the storage was away, ${seen}, expected a rejection with storage_unavailable`,
  );
}

/** Asserts that every operation works again in time. */
async function heals(pets: PetRepository, pet: Pet): Promise<void> {
  await Promise.all(
    Object.entries(operations(pets, pet, "healed")).map(([what, ask]) =>
      within(HEALING, `${what}, after the storage came back,`, ask),
    ),
  );
}

/** Creates pets one after the other, every second one with a key, and remembers the answers. */
class Load {
  readonly answered: Pet[] = [];
  private readonly keys: string[] = [];
  private next = 0;
  private stopped = false;

  constructor(private readonly pets: PetRepository) {}

  async run(workers: number): Promise<void> {
    await Promise.all(Array.from({ length: workers }, () => this.work()));
  }

  stop(): void {
    this.stopped = true;
  }

  /** Repeats every create that had a key, whether or not the storage answered it. */
  async repeatKeys(): Promise<void> {
    for (const key of this.keys) await this.create(key);
  }

  private async work(): Promise<void> {
    while (!this.stopped) {
      const n = this.next++;
      const key = n % 2 ? `key ${n}` : undefined;
      if (key) this.keys.push(key);
      try {
        await settled("create, asked as the storage went away,", this.create(key), DEADLINE);
        // A pause, so that a fast storage does not fill up.
        await pause(20);
      } catch (error) {
        const known = isPetstoreError(error) && error.code === "storage_unavailable";
        if (!known) this.stop();
        assert(known, `create, asked as the storage went away, rejected with ${String(error)}`);
        await pause(50);
      }
    }
  }

  private async create(key: string | undefined): Promise<void> {
    const record: IdempotencyRecord | undefined = key === undefined ? key : { key, fingerprint: "f" };
    const { pet } = await this.pets.create(somePet({ name: key ?? "without" }), record);
    this.answered.push(pet);
  }
}
