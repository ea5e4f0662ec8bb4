import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { StorageLog } from "../../application/ports/storage-adapter.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { lastingFault } from "./errors.js";
import { InUseLock } from "./in-use-lock.js";
import { Reader } from "./reader.js";
import { realPathOf } from "./real-path.js";
import { CreateBatcher } from "./writer/create-batcher.js";
import type { WriterGauges } from "./writer/gauges.js";
import type { Work } from "./writer/messages.js";
import type { Conflict } from "./writer/thread/archive-writer.js";
import { Writer } from "./writer/writer.js";

/**
 * Keeps pets in a SQLite file, which several processes of one machine may share. It reads on the event loop,
 * and writes in a thread, which alone waits for the disk and for locks. Creates that arrive while a commit is
 * under way share the next one, and resolve once they are on the disk.
 */
export class SqlitePetRepository implements PetRepository, PetArchive {
  private readonly creates: CreateBatcher;

  private constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly use: InUseLock,
  ) {
    this.creates = new CreateBatcher(writer);
  }

  /** @throws Error that says what is wrong with the file and what to do about it. */
  static async open(path: string, log: StorageLog = SILENT): Promise<SqlitePetRepository> {
    const file = { path: await realPathOf(path), name: path };
    const writer = await Writer.open(file, log);
    try {
      const reader = new Reader(file);
      return new SqlitePetRepository(writer, reader, new InUseLock(file.path));
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  /** The numbers that the writing thread shows. */
  get gauges(): WriterGauges {
    return this.writer.gauges;
  }

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    return this.creates.create(pet, record);
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
    await this.creates.send();
    this.reader.close();
    await this.writer.close();
    await this.use.release();
  }

  readPets(range: { readonly after: bigint; readonly limit: number }): Promise<ArchivedPet[]> {
    return this.reader.archived(range);
  }

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    const conflict = await this.writeArchive<Conflict | undefined>({ does: "storePets", pets });
    if (conflict) throw new PetConflict(conflict.conflict);
  }

  countPets(): Promise<number> {
    return this.reader.estimate();
  }

  highestId(): Promise<bigint> {
    return this.reader.lastId();
  }

  raiseIds(id: bigint): Promise<void> {
    return this.writeArchive({ does: "raiseIds", id });
  }

  writeMark(mark: string | undefined): Promise<void> {
    return this.writeArchive({ does: "writeMark", mark });
  }

  readMark(): Promise<string | undefined> {
    return this.reader.mark();
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
