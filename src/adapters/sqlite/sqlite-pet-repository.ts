import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type { Creation, PetRange, PetRepository } from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { COLUMNS, PET_COLUMNS, type PetRow, type Row, toArchived, toNewRow, toPet } from "./rows.js";
import { unavailable, unavailableOrPermanent } from "./sqlite-errors.js";
import type { Writer } from "./writer.js";

/** Keeps pets in a SQLite file. Reads run on the event loop, writes on the writer's thread. */
export class SqlitePetRepository implements PetRepository, PetArchive {
  private readonly selectOne: StatementSyncInstance;
  private readonly selectRange: StatementSyncInstance;
  private readonly selectStatusRange: StatementSyncInstance;
  private readonly selectRows: StatementSyncInstance;

  constructor(
    private readonly reader: DatabaseSyncInstance,
    private readonly writer: Writer,
  ) {
    const range = "id > ? ORDER BY id LIMIT ?";
    this.selectOne = reader.prepare(`SELECT ${PET_COLUMNS} FROM pets WHERE id = ?`);
    this.selectRange = reader.prepare(`SELECT ${PET_COLUMNS} FROM pets WHERE ${range}`);
    this.selectStatusRange = reader.prepare(`SELECT ${PET_COLUMNS} FROM pets WHERE status = ? AND ${range}`);
    this.selectRows = reader.prepare(`SELECT ${COLUMNS} FROM pets WHERE ${range}`);
  }

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const values = toNewRow(pet, record);
    const { row, isNew } = await this.writer.run({ name: "createPet", values }).catch(unavailable);
    return { pet: toPet(row), earlierFingerprint: isNew ? undefined : (row[5] ?? "") };
  }

  async get(id: bigint): Promise<Pet | undefined> {
    const row = read<PetRow | undefined>(() => this.selectOne.get(id));
    return row && toPet(row);
  }

  async list({ status, after, limit }: PetRange): Promise<Pet[]> {
    const rows = read<PetRow[]>(() =>
      status ? this.selectStatusRange.all(status, after, limit) : this.selectRange.all(after, limit),
    );
    return rows.map(toPet);
  }

  async readPets({ after, limit }: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    return read<Row[]>(() => this.selectRows.all(after, limit)).map(toArchived);
  }

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    const rows = pets.map(({ pet, record }): Row => [pet.id, ...toNewRow(pet, record)]);
    const conflict = await this.writer.run({ name: "storePets", rows }).catch(unavailableOrPermanent);
    if (conflict !== undefined) throw new PetConflict(conflict);
  }

  /** Scans a whole index; only `petstore copy` calls it, which serves no requests. */
  async countPets(): Promise<number> {
    return Number(read<[bigint]>(() => this.reader.prepare("SELECT count(*) FROM pets").get())[0]);
  }

  async highestId(): Promise<bigint> {
    const select = "SELECT seq FROM sqlite_sequence WHERE name = 'pets'";
    // There is no row before the first pet.
    return read<[bigint] | undefined>(() => this.reader.prepare(select).get())?.[0] ?? 0n;
  }

  async raiseIds(id: bigint): Promise<void> {
    await this.writer.run({ name: "raiseIds", id }).catch(unavailableOrPermanent);
  }
}

/** Does not block: in WAL mode readers and writers do not wait for each other. */
function read<Result>(query: () => Result): Result {
  try {
    return query();
  } catch (cause) {
    return unavailable(cause);
  }
}
