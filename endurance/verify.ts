import { setTimeout as sleep } from "node:timers/promises";
import { Walk } from "./clients/walk.js";
import type { Parts } from "./parts.js";

/** How long the service may take to heal once all faults are over, in milliseconds. */
const HEALING = 20_000;

/** How many pets are also fetched one by one at the end. */
const FETCHED = 2000;

/** At the end: every open create is settled, and everything that was acknowledged is read once more. */
export async function verifyAll({
  service,
  clients,
  history,
  random,
  findings,
  troubles,
}: Parts): Promise<void> {
  const { creates, reads } = clients;
  const deadline = performance.now() + HEALING;
  while ((await service.ask("/readyz")) !== 200 || !troubles.calm) {
    if (performance.now() > deadline) {
      findings.add("ready", `/readyz is not 200 ${HEALING} ms after the last fault`);
      break;
    }
    await sleep(100);
  }
  for (const pet of creates.open) await creates.send(pet);
  for (const status of [undefined, "available", "pending", "sold"]) {
    const walk = new Walk(reads, status, 100);
    // A page that gets no answer is a finding already, and asked for only some times more.
    for (let left = history.turn / 100 + 50; walk.finished === 0 && left > 0; left--) await walk.step();
  }
  for (let fetched = 0; fetched < Math.min(FETCHED, history.turn); fetched++) {
    const known = history.storedAt(random.between(0, history.turn - 1));
    if (known) await reads.getStored(known.id);
  }
  for (const pet of creates.sample(FETCHED / 4)) await creates.send(pet);
}
