import type {
  ArchivedPet,
  Creation,
  IdempotencyRecord,
  NewPet,
  Pet,
  PetArchive,
  PetRange,
  PetRepository,
  StorageContext,
} from "petstore/storage";
import * as archive from "./archive.js";
import { Connection, within } from "./connection.js";
import { UnusableDatabase } from "./errors.js";
import { GroupedInserts } from "./grouped-inserts.js";
import { addReadings } from "./readings.js";
import { PET } from "./rows.js";

/** How long a start waits for the database before it goes on without, in milliseconds. */
const START_PATIENCE = 3000;

const SELECT_ONE = { name: "select-one", text: `SELECT ${PET} FROM pets WHERE id = $1` };
const SELECT_RANGE = {
  name: "select-range",
  text: `SELECT ${PET} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`,
};
export const SELECT_STATUS_RANGE = {
  name: "select-status-range",
  text: `SELECT ${PET} FROM pets WHERE status = $1 AND id + 0 > $2 ORDER BY id + 0 LIMIT $3`,
};

/** Keeps pets in a PostgreSQL database, which any number of processes on any number of machines may share. */
export class PostgresPetRepository implements PetRepository, PetArchive {
  private readonly inserts: GroupedInserts;

  private constructor(private readonly connection: Connection) {
    this.inserts = new GroupedInserts(connection.pool);
  }

  /**
   * Connects. If the database does not answer yet, it goes on without.
   *
   * @throws Error if the driver does not take the URL, or the database cannot be used as it stands.
   */
  static async open(url: string, context: StorageContext): Promise<PostgresPetRepository> {
    const connection = new Connection(url, context.log);
    try {
      await within(START_PATIENCE, connection.prepare());
    } catch (error) {
      if (error instanceof UnusableDatabase) {
        await connection.close();
        throw error;
      }
    }
    const repository = new PostgresPetRepository(connection);
    addReadings(context, connection.pool, repository.inserts);
    return repository;
  }

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    // Copies: the caller may change its objects before the pet is stored.
    const { name, categoryId, status } = pet;
    const copied = record && { ...record };
    return this.connection.run(() => this.inserts.add({ name, categoryId, status }, copied));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.connection.run(async (pool) => {
      const { rows } = await pool.query<Pet>({ ...SELECT_ONE, values: [id] });
      return rows[0];
    });
  }

  list({ status, after, limit }: PetRange): Promise<Pet[]> {
    return this.connection.run(async (pool) => {
      const query = status
        ? { ...SELECT_STATUS_RANGE, values: [status, after, limit] }
        : { ...SELECT_RANGE, values: [after, limit] };
      const { rows } = await pool.query<Pet>(query);
      return rows;
    });
  }

  async ping(): Promise<void> {
    await this.get(0n);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  readPets(range: { readonly after: bigint; readonly limit: number }): Promise<ArchivedPet[]> {
    return this.connection.run((pool) => archive.readPets(pool, range));
  }

  storePets(pets: readonly ArchivedPet[]): Promise<void> {
    return this.connection.run((pool) => archive.storePets(pool, pets));
  }

  countPets(): Promise<number> {
    return this.connection.run(archive.countPets);
  }

  highestId(): Promise<bigint> {
    return this.connection.run(archive.highestId);
  }

  raiseIds(id: bigint): Promise<void> {
    return this.connection.run((pool) => archive.raiseIds(pool, id));
  }

  writeMark(mark: string | undefined): Promise<void> {
    return this.connection.run((pool) => archive.writeMark(pool, mark));
  }

  readMark(): Promise<string | undefined> {
    return this.connection.run(archive.readMark);
  }
}
