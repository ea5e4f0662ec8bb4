import type { ArchivedPet, PetArchive } from "./ports/pet-archive.js";

/** How many pets to read or store at once: an archive's maximum. */
export const BATCH = 1000;

/** The pets of two archives under one id; at least one of them is defined. */
export interface PetPair {
  readonly id: bigint;
  readonly source: ArchivedPet | undefined;
  readonly target: ArchivedPet | undefined;
}

/** Walks two archives in step, in ascending order of id. */
export async function* pairPets(
  source: PetArchive,
  target: PetArchive,
  after = 0n,
): AsyncGenerator<PetPair, undefined> {
  const [sources, targets] = [readAll(source, after), readAll(target, after)];
  let one = (await sources.next()).value;
  let other = (await targets.next()).value;
  while (one || other) {
    const id = !other || (one && one.pet.id < other.pet.id) ? (one as ArchivedPet).pet.id : other.pet.id;
    const [inSource, inTarget] = [one?.pet.id === id, other?.pet.id === id];
    yield { id, source: inSource ? one : undefined, target: inTarget ? other : undefined };
    if (inSource) one = (await sources.next()).value;
    if (inTarget) other = (await targets.next()).value;
  }
}

/** Reads one batch ahead. */
async function* readAll(archive: PetArchive, after: bigint): AsyncGenerator<ArchivedPet, undefined> {
  let next = archive.readPets({ after, limit: BATCH });
  for (;;) {
    const batch = await next;
    const last = batch[BATCH - 1];
    if (last) next = archive.readPets({ after: last.pet.id, limit: BATCH });
    // The next iteration awaits it. If the caller stops earlier, its failure does not matter.
    next.catch(() => undefined);
    for (const archived of batch) yield archived;
    if (!last) return;
  }
}
