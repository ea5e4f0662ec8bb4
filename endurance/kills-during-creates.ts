import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "./run.js";

/** How many clients create at once. */
const CLIENTS = 8;

/** How long creates go on before a kill, in milliseconds. */
const SHORTEST = 30;
const LONGEST = 500;

/** How many of the newest pets each round reads one by one. */
const NEWEST = 30;

/** Kills the service in the middle of creates, `count` times. After each kill it reads acknowledged pets. */
export const killsDuringCreates: Work = async (parts, { count }, stopping) => {
  const { service, clients, history, troubles, random } = parts;
  for (let killed = 0; killed < count && !stopping.aborted; killed++) {
    const trouble = troubles.begin("kill -9 during creates", {
      breaks: true,
      refusals: "all",
      down: true,
      heals: 500,
    });
    let running = true;
    const creating = Array.from({ length: CLIENTS }, async () => {
      while (running) await clients.creates.create();
    });
    await sleep(random.between(SHORTEST, LONGEST));
    await service.kill();
    running = false;
    await Promise.all(creating);
    await service.start();
    troubles.end(trouble, `${history.turn} pets so far`);
    for (let index = Math.max(0, history.turn - NEWEST); index < history.turn; index++) {
      const known = history.storedAt(index);
      if (known) await clients.reads.getStored(known.id);
    }
  }
};
