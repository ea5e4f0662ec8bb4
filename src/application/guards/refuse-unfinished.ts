import { isPetstoreError, storageUnavailable } from "../../domain/errors.js";
import { isUnfinishedCopy } from "../copying/copy-mark.js";
import { aroundOperations } from "../ports/around-operations.js";
import { asArchive, type PetArchive } from "../ports/pet-archive.js";
import type { PetRepository } from "../ports/pet-repository.js";

const REFUSAL =
  "The storage holds only a part of a catalogue: a copy into it was not finished. Run that petstore copy command again, " +
  "or name another storage.";

/**
 * Refuses a storage that is the unfinished target of a copy. If the storage is away now, the guard asks it
 * before the first operation.
 *
 * @throws Error that says what to do, if the storage is unfinished
 */
export async function refuseUnfinished(pets: PetRepository): Promise<PetRepository> {
  const archive = asArchive(pets);
  if (!archive) return pets;
  try {
    await requireFinished(archive);
    return pets;
  } catch (error) {
    if (!isPetstoreError(error)) throw error;
    return unaskedPets(archive);
  }
}

async function requireFinished(archive: PetArchive): Promise<void> {
  if (isUnfinishedCopy(await archive.readMark())) throw new Error(REFUSAL);
}

/** Asks before each operation whether a copy is unfinished, until the storage says no. */
function unaskedPets(pets: PetRepository & PetArchive): PetRepository {
  let finished = false;
  return aroundOperations(pets, async (_operation, run) => {
    if (!finished) {
      await requireFinished(pets).catch((error) => {
        throw isPetstoreError(error) ? error : storageUnavailable(error);
      });
      finished = true;
    }
    return run();
  });
}
