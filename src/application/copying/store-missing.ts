import type { ArchivedPet } from "../ports/pet-archive.js";
import { BATCH, type BatchedArchive } from "./batched-archive.js";
import { PetStream, walkInStep } from "./pet-stream.js";

/** How many batches to send to the target at once: the next one arrives while the target stores one. */
const UNDER_WAY_MOST = 2;

/**
 * Stores the source's pets that the target lacks. Reads the next batches while the target stores some.
 *
 * @param after the target lacks no pet up to this id, as `copy-catalogue.ts` has found by comparing
 * @param progressed gets the number of stored pets after every batch
 * @returns the number of stored pets
 */
export async function storeMissing(
  source: BatchedArchive,
  target: BatchedArchive,
  after: bigint,
  progressed: (stored: number) => Promise<void>,
): Promise<number> {
  let waiting: ArchivedPet[] = [];
  const underWay: Promise<void>[] = [];
  let stored = 0;

  async function store(batch: readonly ArchivedPet[]): Promise<void> {
    if (underWay.length === UNDER_WAY_MOST) await underWay.shift();
    const storing = target.store(batch).then(() => {
      stored += batch.length;
    });
    // The code below awaits it, and meets a failure there.
    storing.catch(() => undefined);
    underWay.push(storing);
  }

  async function storeWhole(): Promise<void> {
    while (waiting.length >= BATCH) {
      await store(waiting.slice(0, BATCH));
      waiting = waiting.slice(BATCH);
    }
    await progressed(stored);
  }

  await walkInStep(
    new PetStream(source, after),
    new PetStream(target, after),
    (one, other) => {
      if (one && !other) waiting.push(one);
      return true;
    },
    storeWhole,
  );
  await store(waiting);
  await Promise.all(underWay);
  await progressed(stored);
  return stored;
}
