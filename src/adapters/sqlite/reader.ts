import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { type ArchivedPet, SEQUENCE_END } from "../../application/ports/pet-archive.js";
import type { PetRange } from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { Pet } from "../../domain/pet.js";
import { type DatabaseFile, openToRead } from "./database.js";
import { isBusy } from "./errors.js";
import { PageCache } from "./page-cache.js";
import {
  ALL_COLUMNS,
  type ArchivedRow,
  COLUMNS,
  LAST_ID,
  type PetRow,
  prepareExact,
  toArchived,
  toPet,
} from "./rows.js";

/** How long to repeat a read while another process keeps readers out, in milliseconds. */
const PATIENCE = 4000;

/** How long to wait before the next try, in milliseconds. */
const RETRY_INTERVAL = 10;

/** The size of a pet with a short name, with its entries in the indexes (`docs/operations.md`, Sizing). */
const PETS_PER_PAGE = 80;

/** Reads pets on the event loop: in WAL mode neither a writer nor a checkpoint makes a reader wait. */
export class Reader {
  private readonly database: DatabaseSyncInstance;
  private readonly selectOne: StatementSyncInstance;
  private readonly selectRange: StatementSyncInstance;
  private readonly selectStatusRange: StatementSyncInstance;
  private readonly selectArchived: StatementSyncInstance;
  private readonly selectVersion: StatementSyncInstance;
  private readonly pages = new PageCache();

  /** @throws Error that says what is wrong with the file and what to do about it. */
  constructor(file: DatabaseFile) {
    this.database = openToRead(file);
    this.selectOne = this.prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`);
    this.selectRange = this.prepare(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
    this.selectStatusRange = this.prepare(
      `SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
    );
    this.selectArchived = this.prepare(`SELECT ${ALL_COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
    // The version changes with every commit of another connection (sqlite.org/pragma.html#pragma_data_version).
    this.selectVersion = this.prepare("PRAGMA data_version");
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.read(() => {
      const row = this.selectOne.get(id) as PetRow | undefined;
      return row && toPet(row);
    });
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.read(() => this.pages.list(range, this.selectVersion.get()[0], this.selectPage));
  }

  archived({ after, limit }: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    return this.read(() => (this.selectArchived.all(after, limit) as ArchivedRow[]).map(toArchived));
  }

  lastId(): Promise<bigint> {
    return this.read(() => (this.prepare(LAST_ID).get() as [bigint])[0]);
  }

  /** An estimate from the highest id and the size of the file, since counting would read every pet. */
  estimate(): Promise<number> {
    return this.read(() => {
      const [highest] = this.prepare(`SELECT max(id) FROM pets WHERE id < ${SEQUENCE_END}`).get() as [
        bigint | null,
      ];
      const [pages] = this.prepare("PRAGMA page_count").get() as [bigint];
      return Math.min(Number(highest ?? 0n), Number(pages) * PETS_PER_PAGE);
    });
  }

  mark(): Promise<string | undefined> {
    return this.read(() => {
      const [there] = this.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'mark'").get() as [
        bigint,
      ];
      return there === 0n
        ? undefined
        : (this.prepare("SELECT mark FROM mark").get() as [string] | undefined)?.[0];
    });
  }

  /** The driver cannot free statements: it closes the file once they are garbage, or when the process ends. */
  close(): void {
    this.database.close();
  }

  private readonly selectPage = ({ status, after, limit }: PetRange): Pet[] => {
    const rows: PetRow[] = status
      ? this.selectStatusRange.all(status, after, limit)
      : this.selectRange.all(after, limit);
    return rows.map(toPet);
  };

  private prepare(sql: string): StatementSyncInstance {
    return prepareExact(this.database, sql);
  }

  /**
   * Tries again at a lock, which in WAL mode readers meet only while a process recovers or closes the file.
   */
  private async read<Result>(query: () => Result): Promise<Result> {
    let deadline = 0;
    for (;;) {
      try {
        return query();
      } catch (error) {
        deadline ||= performance.now() + PATIENCE;
        if (!isBusy(error) || performance.now() > deadline) throw storageUnavailable(error);
        await sleep(RETRY_INTERVAL);
      }
    }
  }
}
