import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { lastingFault } from "./errors.js";
import type { PetReader } from "./pet-reader.js";
import { toNewRow, toPet } from "./rows.js";
import type { Writer } from "./writer/writer.js";

/**
 * Keeps pets in a SQLite file. Creates that arrive while a commit is under way share the next one, and resolve once they
 * are on the disk.
 */
export class SqlitePetRepository implements PetRepository, PetArchive {
  constructor(
    private readonly writer: Writer,
    private readonly reader: PetReader,
  ) {}

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    // A copy: the caller may change its objects before it gets the answer.
    const row = toNewRow(pet, record);
    try {
      const created = await this.writer.ask("createPet", row);
      if (typeof created === "bigint")
        return { pet: toPet([created, ...row]), earlierFingerprint: undefined };
      return { pet: toPet(created), earlierFingerprint: created[5] ?? "" };
    } catch (cause) {
      throw storageUnavailable(cause);
    }
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.reader.get(id);
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.reader.list(range);
  }

  readPets(range: { readonly after: bigint; readonly limit: number }): Promise<ArchivedPet[]> {
    return this.reader.readPets(range);
  }

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    const conflict = await archived(this.writer.ask("storePets", pets));
    if (conflict !== undefined) throw new PetConflict(conflict);
  }

  countPets(): Promise<number> {
    return this.reader.countPets();
  }

  highestId(): Promise<bigint> {
    return this.reader.highestId();
  }

  raiseIds(id: bigint): Promise<void> {
    return archived(this.writer.ask("raisePetIds", id));
  }
}

async function archived<Result>(written: Promise<Result>): Promise<Result> {
  try {
    return await written;
  } catch (cause) {
    throw lastingFault(cause) ?? storageUnavailable(cause);
  }
}
