import { setTimeout as sleep } from "node:timers/promises";
import { inEmptyFolder } from "../../../support/in-empty-folder.js";
import { E2E_KEY } from "../../../support/pets-client.js";
import { describeWithReplicaSet, type Election, type ReplicaSet } from "../../../support/replica-set.js";
import { Load } from "../../../support/replica-set-load.js";
import { startProgram } from "../../../support/start-program.js";

const ELECTIONS = 10;

/** How long there is no primary at most, in milliseconds. */
const LONGEST_GAP = 1500;

/** Set it to the seed that a failed run printed. */
const SEED = Number(process.env.PETSTORE_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The faults of the primary. Each returns a function that brings it back as a member once there is another
 * primary.
 */
const ENDS: Record<string, (set: ReplicaSet, random: () => number) => Promise<[number, () => unknown]>> = {
  async stepDown(set) {
    return [set.stepDown(), () => undefined];
  },
  async crash(set, random) {
    set.monitorsLast = random() < 0.5;
    const old = set.crash();
    return [old, () => set.restart(old)];
  },
  async crashWithLostAnswers(set) {
    let crashed: number | undefined;
    const crash = () => {
      crashed ??= set.crash();
    };
    // biome-ignore lint/suspicious/noThenProperty: nobody awaits it
    set.loss = { left: 2, commands: ["insert", "findAndModify"], then: crash };
    for (const until = performance.now() + 1000; crashed === undefined; ) {
      await sleep(5);
      if (performance.now() > until) crash();
    }
    set.loss = undefined;
    const old = crashed;
    return [old, () => set.restart(old)];
  },
  async shutDown(set) {
    const old = await set.shutDown();
    return [old, () => set.restart(old)];
  },
  async silence(set) {
    const old = set.blackHole();
    return [old, () => set.heal(old)];
  },
  async splitBrain(set) {
    const old = set.isolate();
    return [old, () => set.rejoin(old)];
  },
  async rollBack(set, random) {
    set.lag(random() < 0.5 ? 64 : 100);
    await sleep(1500 * random());
    const old = set.crash();
    await set.rollBack();
    return [old, () => set.restart(old)];
  },
  async flapAndStepDown(set, random) {
    set.flap();
    await sleep(1200 * random());
    const delayed = set.member();
    delayed.helloDelay = 300;
    return [
      set.stepDown(),
      () => {
        delayed.helloDelay = 0;
      },
    ];
  },
};

async function electAtRandom(set: ReplicaSet, random: () => number): Promise<[string, Election]> {
  const kinds = Object.entries(ENDS);
  const [kind, end] = kinds[Math.floor(random() * kinds.length)] as (typeof kinds)[number];
  // Some writes are slow to begin, others are slow to be confirmed, so that the fault meets both kinds.
  set.before = random() < 0.3 ? 200 * random() : 1;
  set.after = random() < 0.3 ? 200 * random() : 2;
  await set.busy(1 + Math.floor(3 * random()));
  const [old, comeBack] = await end(set, random);
  await sleep(LONGEST_GAP * random() ** 2);
  set.before = 1;
  set.after = 2;
  const others = set.others(old);
  const election = set.elect(others[Math.floor(random() * others.length)] as number);
  await sleep(800 * random());
  await comeBack();
  return [kind, election];
}

describeWithReplicaSet(
  `The service on a replica set with ${ELECTIONS} random elections, seed ${SEED}`,
  (lend) => {
    let cwd: string;

    inEmptyFolder((folder) => {
      cwd = folder;
    });

    it("loses nothing, answers every request, and is back at once after each election", async function () {
      this.timeout(180_000);
      const random = randomFrom(SEED);
      await lend(async (set, url) => {
        set.elect(0);
        const program = await startProgram({
          cwd,
          env: { PETSTORE_STORAGE: url, PETSTORE_API_KEY: E2E_KEY },
        });
        const load = new Load(program.origin, set);
        const kinds: string[] = [];
        for (let n = 0; n < ELECTIONS; n++) {
          await sleep(300 * random());
          const [kind, election] = await electAtRandom(set, random);
          kinds.push(kind);
          await load.healedAfter(election, kind);
        }
        await load.verify();
        const { code, signal, stderr } = await program.stop();
        if (code !== 0)
          throw new Error(`after ${kinds} the service ended with ${code ?? signal}: ${stderr.slice(-2000)}`);
      });
    });
  },
);
