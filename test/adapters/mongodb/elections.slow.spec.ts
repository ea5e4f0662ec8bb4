import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Pet } from "../../../src/domain/pet.js";
import { openMongodb } from "../../support/open-storages.js";
import { describeWithReplicaSet, type ReplicaSet } from "../../support/replica-set.js";
import { StorageLoad } from "../../support/storage-load.js";

const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

/** How long there is no primary, in milliseconds. */
const GAP = 600;

const next = (set: ReplicaSet, old: number) => set.others(old)[0] as number;

/** Elects another primary after a gap. */
async function replace(set: ReplicaSet, old: number): Promise<number> {
  await sleep(GAP);
  set.elect(next(set, old));
  return old;
}

/** The faults, each of which ends with a primary. */
const FAULTS: Readonly<Record<string, (set: ReplicaSet) => Promise<unknown>>> = {
  "the primary steps down": (set) => replace(set, set.stepDown()),

  async "the primary steps down just after its connections were reset, again and again"(set) {
    // A monitor connects anew some time later, and listens half a second after that. Meanwhile a refused operation is
    // the first to tell of the step-down: that ends the process with `useBigInt64`.
    for (const later of [100, 250, 400, 550, 700, 850, 1000, 1150]) {
      set.flap();
      await sleep(later);
      const delayed = set.member();
      delayed.helloDelay = 300;
      set.elect(next(set, set.stepDown()));
      await sleep(GAP);
      delayed.helloDelay = 0;
    }
  },

  async "two elections follow each other"(set) {
    await replace(set, set.stepDown());
    await sleep(30);
    await replace(set, set.stepDown());
  },

  async "the primary crashes, and monitors notice last"(set) {
    set.monitorsLast = true;
    await set.restart(await replace(set, set.crash()));
  },

  "the primary shuts down": async (set) => set.restart(await replace(set, await set.shutDown())),

  async "the primary hangs"(set) {
    const old = await replace(set, set.blackHole());
    await sleep(2 * GAP);
    set.heal(old);
  },

  async "there are two primaries for a while"(set) {
    const old = await replace(set, set.isolate());
    await sleep(2 * GAP);
    set.rejoin(old);
  },

  async "answers are lost while the primary crashes"(set) {
    const crashed = await new Promise<number>((resolve) => {
      // biome-ignore lint/suspicious/noThenProperty: nobody awaits it
      set.loss = { left: 3, commands: ["insert"], then: () => set.loss?.left === 0 && resolve(set.crash()) };
    });
    await set.restart(await replace(set, crashed));
  },

  async "no majority is reached, and what it lacked is rolled back"(set) {
    set.lag();
    await sleep(2500);
    const old = set.crash();
    await set.rollBack();
    await set.restart(await replace(set, old));
  },

  async "no majority is reached for three seconds"(set) {
    set.lag(100);
    await sleep(3000);
    set.replicate();
    await replace(set, set.stepDown());
  },

  async "a member is replaced"(set) {
    const old = set.stepDown();
    set.configure([next(set, old), 3, set.others(old)[1] as number]);
    await sleep(GAP);
    set.elect(3);
  },
};

describeWithReplicaSet("A MongoDB replica set under load", (set, newUrl) => {
  afterEach(() => {
    const { weakReads, weakWrites, secondaryReads } = set().stats;
    expect([weakReads, weakWrites, secondaryReads]).to.deep.equal([0, 0, 0]);
  });

  for (const [what, befall] of Object.entries(FAULTS)) {
    it(`loses and doubles nothing, and recovers soon if ${what}`, async () => {
      set().elect(0);
      const storage = await openMongodb(newUrl());
      const load = new StorageLoad(storage.pets, (id) => set().unconfirmed(id));
      await sleep(300);
      await set().busy();
      await befall(set());
      await load.acknowledgesMore();
      await sleep(300);
      await load.verify();
      await storage.close();
    });
  }

  it("starts without a primary, and works once one is elected", async () => {
    const storage = await openMongodb(newUrl());
    const error = await storage.ping().catch((error) => error);
    expect(String(error.cause)).to.match(/no primary/);
    const load = new StorageLoad(storage.pets, (id) => set().unconfirmed(id));
    await sleep(GAP);
    expect(load.acknowledged.size).to.equal(0);
    set().elect(1);
    await load.acknowledgesMore();
    await load.verify();
    await storage.close();
  });

  it("recognises its own documents if the set runs an insert twice", async () => {
    set().elect(0);
    set().plant = "forget-retryable-writes";
    const { pets, close } = await openMongodb(newUrl());
    const created: Pet[] = [];
    for (const record of [undefined, { key: "key", fingerprint: "fingerprint" }]) {
      set().loss = { left: 2, commands: ["insert"] };
      const { pet, earlierFingerprint } = await pets.create(PET, record);
      expect(earlierFingerprint).to.equal(undefined);
      created.push(pet);
    }
    expect(await pets.list({ status: undefined, after: 0n, limit: 9 })).to.deep.equal(created);
    await close();
  });

  it("answers a read as usual after a step-down that the driver has not noticed yet", async () => {
    set().elect(0);
    const { pets, close } = await openMongodb(newUrl());
    const { pet } = await pets.create(PET);
    for (let round = 0; round < 3; round++) {
      // Long enough for the driver's monitors to listen again.
      await sleep(GAP);
      const delayed = set().member();
      delayed.helloDelay = 300;
      set().elect(next(set(), set().stepDown()));
      expect(await pets.get(pet.id)).to.deep.equal(pet);
      delayed.helloDelay = 0;
    }
    await close();
  });
});
