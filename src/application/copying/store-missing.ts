import type { ArchivedPet } from "../ports/pet-archive.js";
import type { Gap } from "./gaps.js";
import { BATCH, type PatientArchive } from "./patient-archive.js";
import { PetStream, walkInStep } from "./pet-stream.js";

/**
 * Stores in the target what the source has in the gaps, and the target has not. While a batch is stored the next one
 * is read.
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
  let storing: Promise<void> | undefined;
  let stored = 0;

  async function store(batch: readonly ArchivedPet[]): Promise<void> {
    await target.store(batch);
    stored += batch.length;
  }

  async function storeWhole(): Promise<void> {
    while (waiting.length >= BATCH) {
      await storing;
      storing = store(waiting.slice(0, BATCH));
      // It is waited for before the next batch, where a failure is heard of.
      storing.catch(() => undefined);
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
  await storing;
  await store(waiting);
  await progressed(stored);
  return stored;
}
