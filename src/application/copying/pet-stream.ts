import type { ArchivedPet, PetArchive } from "../ports/pet-archive.js";

/** How many pets to read or store at a time: the most that an archive takes. */
const BATCH = 1000;

/** Reads all pets after an id, in ascending order of id, the next batch while the caller works on this one. */
export async function* batchesOf(
  archive: PetArchive,
  after = 0n,
): AsyncGenerator<readonly ArchivedPet[], undefined> {
  let last = after;
  let reading = archive.readPets({ after, limit: BATCH });
  for (;;) {
    const batch = await reading;
    for (const { pet } of batch) {
      // Two streams that are compared in step would miss a pet out of order.
      if (pet.id <= last) throw new Error(`A storage gives its pets out of order: ${pet.id} after ${last}.`);
      last = pet.id;
    }
    const isLast = batch.length < BATCH;
    if (!isLast) reading = archive.readPets({ after: last, limit: BATCH });
    // The next turn of the loop awaits it. If there is none, its failure does not matter.
    reading.catch(() => undefined);
    if (batch.length > 0) yield batch;
    if (isLast) return;
  }
}

export async function* petsOf(archive: PetArchive): AsyncGenerator<ArchivedPet, undefined> {
  for await (const batch of batchesOf(archive)) for (const archived of batch) yield archived;
}

/** The pets that two sides have under one id; a side that lacks it gives undefined. */
interface Pair {
  readonly id: bigint;
  readonly one: ArchivedPet | undefined;
  readonly other: ArchivedPet | undefined;
}

/** Goes through both sides in step, in order of id. */
export async function* inStep(source: PetArchive, target: PetArchive): AsyncGenerator<Pair, undefined> {
  const [ones, others] = [petsOf(source), petsOf(target)];
  let [one, other] = [(await ones.next()).value, (await others.next()).value];
  while (one || other) {
    const id = !other || (one && one.pet.id < other.pet.id) ? (one as ArchivedPet).pet.id : other.pet.id;
    const [hasOne, hasOther] = [one?.pet.id === id, other?.pet.id === id];
    yield { id, one: hasOne ? one : undefined, other: hasOther ? other : undefined };
    if (hasOne) one = (await ones.next()).value;
    if (hasOther) other = (await others.next()).value;
  }
}
