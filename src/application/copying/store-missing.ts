import type { ArchivedPet } from "../ports/pet-archive.js";
import { BATCH, type BatchedArchive } from "./batched-archive.js";
import type { Gap } from "./gaps.js";
import { PetStream, walkInStep } from "./pet-stream.js";

/** How many batches to send to the target at once: the next one arrives while the target stores one. */
const UNDER_WAY_MOST = 2;

/**
 * Stores in the target the source's pets in the gaps. Reads the next batches while the target stores some.
 *
 * @param progressed gets the number of stored pets after every batch
 * @returns the number of stored pets
 */
export async function storeMissing(
  source: BatchedArchive,
  target: BatchedArchive,
  gaps: readonly Gap[],
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

  for (const { after, before, missing, mixed } of gaps) {
    const from = new PetStream(source, { after, before, expected: mixed ? BATCH : missing });
    const to = new PetStream(mixed ? target : undefined, { after, before });
    await walkInStep(
      from,
      to,
      (one, other) => {
        if (one && !other) waiting.push(one);
        return true;
      },
      storeWhole,
    );
  }
  await store(waiting);
  await Promise.all(underWay);
  await progressed(stored);
  return stored;
}
