import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { StorageLog, StorageReading } from "../../application/ports/storage-adapter.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { lastingFault, startError } from "./errors.js";
import { Reader } from "./reader.js";
import { toNewRow, toPet } from "./rows.js";
import type { Conflict, Created, Work } from "./writer/messages.js";
import { Writer } from "./writer/writer.js";

/**
 * Keeps pets in a SQLite file, which several processes of one machine may share. It reads on the event loop, and
 * writes in a thread, which alone waits for the disk and for locks. Creates that arrive while a commit is under way
 * share the next one, and resolve once they are on the disk.
 */
export class SqlitePetRepository implements PetRepository, PetArchive {
  private constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  /** @throws Error that says what is wrong with the file and what to do about it */
  static async open(path: string, log: StorageLog = SILENT): Promise<SqlitePetRepository> {
    const file = { path: resolve(path), name: path };
    await mkdir(dirname(file.path), { recursive: true }).catch((error) => {
      throw startError(path, error);
    });
    const writer = await Writer.open(file, log);
    try {
      return new SqlitePetRepository(writer, new Reader(file));
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  /** For metrics. */
  get readings(): readonly StorageReading[] {
    return this.writer.commits.readings;
  }

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    // A copy: the caller may change its objects before it gets the answer.
    const row = toNewRow(pet, record);
    try {
      const created = await this.writer.ask<Created>({ does: "create", row });
      if (typeof created === "bigint") return { pet: toPet([created, ...row]), replayed: undefined };
      return { pet: toPet(created), replayed: created[5] ?? "" };
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

  async ping(): Promise<void> {
    await this.get(0n);
    await this.writer.ping().catch((cause) => {
      throw storageUnavailable(cause);
    });
  }

  async close(): Promise<void> {
    this.reader.close();
    await this.writer.close();
  }

  readPets(range: { readonly after: bigint; readonly limit: number }): Promise<ArchivedPet[]> {
    return this.reader.readPets(range);
  }

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    const conflict = await this.writeArchive<Conflict>({ does: "storePets", pets });
    if (conflict !== undefined) throw new PetConflict(conflict);
  }

  countPets(): Promise<number> {
    return this.reader.countPets();
  }

  highestId(): Promise<bigint> {
    return this.reader.highestId();
  }

  raiseIds(id: bigint): Promise<void> {
    return this.writeArchive({ does: "raiseIds", id });
  }

  private async writeArchive<Result>(work: Work): Promise<Result> {
    try {
      return await this.writer.ask<Result>(work);
    } catch (cause) {
      throw lastingFault(cause) ?? storageUnavailable(cause);
    }
  }
}

const SILENT: StorageLog = { debug() {}, info() {}, warn() {}, error() {} };
