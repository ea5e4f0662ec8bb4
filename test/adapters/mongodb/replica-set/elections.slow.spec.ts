import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { until } from "../../../support/eventually.js";
import { inEmptyFolder } from "../../../support/in-empty-folder.js";
import { Load } from "../../../support/load.js";
import { openMongodb } from "../../../support/open-storages.js";
import { describeWithReplicaSet, type Election, type ReplicaSet } from "../../../support/replica-set.js";
import { type Program, startProgram, statusOf } from "../../../support/start-program.js";

/** How long there is no primary, in milliseconds. */
const GAP = 600;

/** The faults, each of which ends with an election. */
const FAULTS: Record<string, (set: ReplicaSet) => Promise<Election>> = {
  "the primary steps down": async (set) => {
    const old = set.stepDown();
    await sleep(GAP);
    return set.elect(next(set, old));
  },

  "the primary steps down just after its connections were reset, again and again": async (set) => {
    // A monitor that was reset connects anew some time later, and listens half a second after that. Meanwhile a
    // refused operation is the first to tell of the step-down: that is what ended the process with `useBigInt64`.
    for (const later of [100, 250, 400, 550, 700, 850, 1000, 1150]) {
      set.flap();
      await sleep(later);
      const delayed = set.member();
      delayed.helloDelay = 300;
      const old = set.stepDown();
      set.elect(next(set, old));
      await sleep(GAP);
      delayed.helloDelay = 0;
    }
    const old = set.stepDown();
    return set.elect(next(set, old));
  },

  "two elections follow each other": async (set) => {
    const first = set.stepDown();
    await sleep(GAP);
    set.elect(next(set, first));
    await sleep(30);
    const second = set.stepDown();
    await sleep(100);
    return set.elect(set.others(second).find((index) => index !== first) as number);
  },

  "the primary crashes, and monitors notice last": async (set) => {
    set.monitorsLast = true;
    const old = set.crash();
    await sleep(GAP);
    const election = set.elect(next(set, old));
    await set.restart(old);
    return election;
  },

  "the primary shuts down": async (set) => {
    const old = await set.shutDown();
    const election = set.elect(next(set, old));
    await set.restart(old);
    return election;
  },

  "the primary falls silent": async (set) => {
    const old = set.blackHole();
    await sleep(GAP);
    const election = set.elect(next(set, old));
    await sleep(2 * GAP);
    set.heal(old);
    return election;
  },

  "two primaries do not know of each other": async (set) => {
    const old = set.isolate();
    await sleep(GAP);
    const election = set.elect(next(set, old));
    await sleep(2 * GAP);
    set.rejoin(old);
    return election;
  },

  "answers are lost while the primary crashes": async (set) => {
    let crashed: number | undefined;
    // biome-ignore lint/suspicious/noThenProperty: nobody awaits it
    set.loss = { left: 3, commands: ["insert"], then: () => (crashed ??= set.crash()) };
    while (crashed === undefined) await sleep(5);
    await sleep(GAP);
    const election = set.elect(next(set, crashed));
    await set.restart(crashed);
    return election;
  },

  "no majority is reached, and what it lacked is rolled back": async (set) => {
    set.lag();
    await sleep(2500);
    const old = set.crash();
    await set.rollBack();
    const election = set.elect(next(set, old));
    await set.restart(old);
    return election;
  },

  "no majority is reached for three seconds": async (set) => {
    set.lag(100);
    await sleep(3000);
    set.replicate();
    const old = set.stepDown();
    return set.elect(next(set, old));
  },

  "a member leaves and another one comes": async (set) => {
    const old = set.stepDown();
    set.configure([next(set, old), 3, set.others(old)[1] as number]);
    await sleep(GAP);
    return set.elect(3);
  },
};

function next(set: ReplicaSet, old: number): number {
  return set.others(old)[0] as number;
}

describeWithReplicaSet("The service on a replica set", (lend) => {
  const cwd = inEmptyFolder();

  const start = (url: string) => startProgram({ cwd: cwd(), env: { PETSTORE_STORAGE: url } });

  /** Asserts that nothing was lost, and that the service has asked the set for no less than a majority and the primary. */
  async function verify(load: Load, set: ReplicaSet): Promise<void> {
    await load.verify();
    const { weakReads, weakWrites, secondaryReads } = set.stats;
    expect([weakReads, weakWrites, secondaryReads]).to.deep.equal([0, 0, 0]);
    expect(set.faults).to.deep.equal([]);
  }

  async function expectEndsWell(program: Program): Promise<void> {
    const { code, signal, stderr, stdout } = await program.stop();
    expect({ code, signal }, stdout.slice(-2000) + stderr).to.deep.equal({ code: 0, signal: null });
  }

  for (const [what, befall] of Object.entries(FAULTS)) {
    it(`loses nothing, answers every request, and is back at once if ${what}`, async () => {
      await lend(async (set, url) => {
        set.elect(0);
        const program = await start(url);
        const load = new Load(program, { unconfirmed: (id) => set.unconfirmed(id) });
        await sleep(300);
        await set.busy();
        await load.healedAfter((await befall(set)).at);
        await sleep(300);
        await verify(load, set);
        await expectEndsWell(program);
      });
    });
  }

  it("answers a read as usual after a step-down that the driver has not noticed yet", async () => {
    await lend(async (set, url) => {
      set.elect(0);
      const storage = await openMongodb(url);
      try {
        const { pet } = await storage.pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
        for (let round = 0; round < 3; round++) {
          // Long enough for the driver's monitors to listen again.
          await sleep(GAP);
          const delayed = set.member();
          delayed.helloDelay = 300;
          const old = set.stepDown();
          set.elect(next(set, old));
          expect(await storage.pets.get(pet.id)).to.deep.equal(pet);
          delayed.helloDelay = 0;
        }
      } finally {
        await storage.close();
      }
    });
  });

  it("starts without a primary, answers 503 in time, and works once a primary is elected", async () => {
    await lend(async (set, url) => {
      const program = await start(url);
      expect(await statusOf(`${program.admin}/readyz`)).to.equal(503);
      const load = new Load(program, { unconfirmed: (id) => set.unconfirmed(id) });
      await until(() => Boolean(load.statuses[503]));
      await sleep(GAP);
      expect(load.statuses).to.have.all.keys("503");
      await load.healedAfter(set.elect(1).at);
      expect(await statusOf(`${program.admin}/readyz`)).to.equal(200);
      await verify(load, set);
      await expectEndsWell(program);
    });
  });
});
