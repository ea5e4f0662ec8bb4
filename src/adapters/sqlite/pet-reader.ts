import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { ArchivedPet } from "../../application/ports/pet-archive.js";
import type { PetRange } from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { Pet } from "../../domain/pet.js";
import { PageCache } from "./page-cache.js";
import { ALL_COLUMNS, type ArchivedRow, COLUMNS, type PetRow, toArchived, toPet } from "./rows.js";

/** Reads pets on the event loop: in WAL mode neither a writer nor a checkpoint makes a reader wait. */
export class PetReader {
  private readonly selectOne: StatementSyncInstance;
  private readonly selectRange: StatementSyncInstance;
  private readonly selectStatusRange: StatementSyncInstance;
  private readonly selectArchived: StatementSyncInstance;
  private readonly selectVersion: StatementSyncInstance;
  private readonly pages = new PageCache();

  constructor(private readonly database: DatabaseSyncInstance) {
    const prepare = (sql: string) => database.prepare(sql);
    this.selectOne = prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`);
    this.selectRange = prepare(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
    this.selectStatusRange = prepare(
      `SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
    );
    this.selectArchived = prepare(`SELECT ${ALL_COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
    // The version changes with every commit of another connection (sqlite.org/pragma.html#pragma_data_version).
    this.selectVersion = prepare("PRAGMA data_version");
  }

  get(id: bigint): Promise<Pet | undefined> {
    return read(() => {
      const row = this.selectOne.get(id) as PetRow | undefined;
      return row && toPet(row);
    });
  }

  list(range: PetRange): Promise<Pet[]> {
    return read(() => this.pages.list(range, this.selectVersion.get()[0], this.selectPage));
  }

  readPets({ after, limit }: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    return read(() => (this.selectArchived.all(after, limit) as ArchivedRow[]).map(toArchived));
  }

  highestId(): Promise<bigint> {
    // The row is missing before the first pet.
    return read(() => (this.value("SELECT seq FROM sqlite_sequence WHERE name = 'pets'") as bigint) ?? 0n);
  }

  /** This reads every pet. Only a copy asks it, which serves no requests. */
  countPets(): Promise<number> {
    return read(() => Number(this.value("SELECT count(*) FROM pets")));
  }

  private readonly selectPage = ({ status, after, limit }: PetRange): Pet[] => {
    const rows: PetRow[] = status
      ? this.selectStatusRange.all(status, after, limit)
      : this.selectRange.all(after, limit);
    return rows.map(toPet);
  };

  /** The first value of a query that is asked seldom. */
  private value(sql: string): unknown {
    return this.database.prepare(sql).get()?.[0];
  }
}

/** Gives what a query finds. @throws PetstoreError `storage_unavailable` */
export async function read<Result>(query: () => Result): Promise<Result> {
  try {
    return query();
  } catch (error) {
    throw storageUnavailable(error);
  }
}
