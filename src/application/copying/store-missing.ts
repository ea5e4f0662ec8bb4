import type { ArchivedPet } from "../ports/pet-archive.js";
import type { Gap } from "./gaps.js";
import { BATCH, type PatientArchive } from "./patient-archive.js";
import { PetStream, walkInStep } from "./pet-stream.js";

/** How many batches are on their way to the target at once: while one is stored the next one arrives. */
const UNDER_WAY_MOST = 2;

/**
 * Stores in the target what the source has in the gaps, and the target has not. While batches are stored the next ones
 * are read.
 *
 * @param progressed is told after every batch how many pets are stored by now
 * @returns how many pets were stored
 */
export async function storeMissing(
  source: PatientArchive,
  target: PatientArchive,
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
    // It is waited for later, and a failure heard of then.
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
