import { setTimeout as sleep } from "node:timers/promises";
import { Walk } from "./clients/walk.js";
import { STATUSES } from "./history/planned-pets.js";
import type { Parts } from "./parts.js";

/** How long the service may take to heal once all faults are over, in milliseconds. */
const HEALING = 20_000;

/** How many pets to get one by one at the end, how many creates to repeat, and how many clients do so. */
const FETCHED = 2000;
const REPEATED = 500;
const CLIENTS = 8;

/** Settles every open create at the end, and reads once more everything that the service has acknowledged. */
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
  await severalAtOnce([...creates.open], (pet) => creates.send(pet));
  for (const status of [undefined, ...STATUSES]) {
    const walk = new Walk(reads, status, 100);
    // A page without an answer is a finding already; the walk asks for it only some times more.
    for (let left = history.turn / 100 + 50; walk.finished === 0 && left > 0; left--) await walk.step();
  }
  const fetched = Array.from({ length: Math.min(FETCHED, history.turn) }, () => {
    return history.storedAt(random.between(0, history.turn - 1))?.id;
  });
  await severalAtOnce(fetched, async (id) => id !== undefined && reads.getStored(id));
  await severalAtOnce(creates.sample(REPEATED), (pet) => creates.send(pet));
}

async function severalAtOnce<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = [...items];
  const client = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}
