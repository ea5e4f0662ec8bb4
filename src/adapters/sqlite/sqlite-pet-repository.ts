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
import { toArchived, toNewRow, toPet, unpack } from "./rows.js";
import type { DatabaseThread } from "./threads/database-thread.js";
import type { Operations } from "./threads/operations.js";

/**
 * Keeps pets in a SQLite file. Creates that arrive while a commit is under way share the next one, and resolve once they
 * are on the disk; no read waits for them.
 */
export class SqlitePetRepository implements PetRepository, PetArchive {
  constructor(
    private readonly writer: DatabaseThread<Operations<"write">>,
    private readonly reader: DatabaseThread<Operations<"read">>,
  ) {}

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    // A copy: the caller may change its objects before it gets the answer.
    const row = toNewRow(pet, record);
    const created = await available(this.writer.ask("createPet", row));
    if (typeof created === "bigint") return { pet: toPet([created, ...row]), earlierFingerprint: undefined };
    return { pet: toPet(created), earlierFingerprint: created[5] ?? "" };
  }

  async get(id: bigint): Promise<Pet | undefined> {
    const row = await available(this.reader.ask("getPet", id));
    return row && toPet(row);
  }

  async list(range: PetRange): Promise<Pet[]> {
    return unpack(await available(this.reader.ask("listPets", range)));
  }

  async readPets(range: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    return (await available(this.reader.ask("archivedPets", range))).map(toArchived);
  }

  async highestId(): Promise<bigint> {
    return (await available(this.reader.ask("highestPetId"))) ?? 0n;
  }

  async countPets(): Promise<number> {
    return Number(await available(this.reader.ask("countPets")));
  }

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    const conflict = await available(this.writer.ask("storePets", pets), lastingFault);
    if (conflict !== undefined) throw new PetConflict(conflict);
  }

  raiseIds(id: bigint): Promise<void> {
    return available(this.writer.ask("raisePetIds", id), lastingFault);
  }
}

/** What a thread answers. @throws PetstoreError `storage_unavailable`, unless there is another error for the cause */
async function available<Result>(work: Promise<Result>, other?: typeof lastingFault): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    throw other?.(cause) ?? storageUnavailable(cause);
  }
}
