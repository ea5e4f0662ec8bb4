import { isPetstoreError, storageUnavailable } from "../../domain/errors.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { isUnfinishedCopy } from "../copying/copy-mark.js";
import { asArchive, type PetArchive } from "../ports/pet-archive.js";
import type { Creation, IdempotencyRecord, PetRange, PetRepository } from "../ports/pet-repository.js";

const REFUSAL =
  "The storage holds only a part of a catalogue: a copy into it was not finished. Run that petstore copy command again, " +
  "or name another storage.";

/**
 * Refuses a storage that is the unfinished target of a copy. If the storage is away now, this asks before its
 * first use.
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
    return new UnaskedPets(archive);
  }
}

async function requireFinished(archive: PetArchive): Promise<void> {
  if (isUnfinishedCopy(await archive.readMark())) throw new Error(REFUSAL);
}

/** Asks before operations whether a copy is unfinished, until the storage says no. */
class UnaskedPets implements PetRepository {
  private finished = false;

  constructor(private readonly pets: PetRepository & PetArchive) {}

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    await this.ask();
    return this.pets.create(pet, record);
  }

  async get(id: bigint): Promise<Pet | undefined> {
    await this.ask();
    return this.pets.get(id);
  }

  async list(range: PetRange): Promise<Pet[]> {
    await this.ask();
    return this.pets.list(range);
  }

  async ping(): Promise<void> {
    await this.ask();
    return this.pets.ping();
  }

  close(): Promise<void> {
    return this.pets.close();
  }

  private async ask(): Promise<void> {
    if (this.finished) return;
    await requireFinished(this.pets).catch((error) => {
      throw isPetstoreError(error) ? error : storageUnavailable(error);
    });
    this.finished = true;
  }
}
