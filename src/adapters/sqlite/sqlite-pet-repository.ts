import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type { Creation, IdempotencyRecord, PetRepository } from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { NewPet } from "../../domain/pet.js";
import { lastingFault } from "./errors.js";
import { PetReader } from "./pet-reader.js";
import { toNewRow, toPet } from "./rows.js";
import type { Writer } from "./writer/writer.js";

/**
 * Keeps pets in a SQLite file. Creates that arrive while a commit is under way share the next one, and resolve once they
 * are on the disk.
 */
export class SqlitePetRepository extends PetReader implements PetRepository, PetArchive {
  constructor(
    private readonly writer: Writer,
    reader: DatabaseSyncInstance,
  ) {
    super(reader);
  }

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

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    const conflict = await archived(this.writer.ask("storePets", pets));
    if (conflict !== undefined) throw new PetConflict(conflict);
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
