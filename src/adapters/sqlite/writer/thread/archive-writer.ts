import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { type ArchivedPet, SEQUENCE_END } from "../../../../application/ports/pet-archive.js";
import { APPLICATION_ID } from "../../migrations.js";
import { ALL_COLUMNS, type ArchivedRow, prepareExact } from "../../rows.js";
import type { Work } from "../messages.js";
import { Sequence } from "./sequence.js";

/** The answer of `storePets` to a conflict: the id of the given pet. */
export interface Conflict {
  readonly conflict: bigint;
}

/** Writes pets from another storage, in the open transaction. `lastingFault` of `errors.ts` explains its failures. */
export class ArchiveWriter {
  private readonly sequence: Sequence;
  private readonly insert: StatementSyncInstance;
  private readonly select: StatementSyncInstance;

  constructor(private readonly database: DatabaseSyncInstance) {
    this.sequence = new Sequence(database);
    this.insert = database.prepare(
      `INSERT INTO pets (${ALL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    this.select = prepareExact(database, `SELECT ${ALL_COLUMNS} FROM pets WHERE id = ?`);
  }

  write(work: Work): Conflict | undefined {
    switch (work.does) {
      case "storePets":
        return this.store(work.pets);
      case "raiseIds":
        if (work.id > this.sequence.last()) this.sequence.set(work.id);
        break;
      case "writeMark":
        this.mark(work.mark);
        break;
      case "probe":
        this.database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    }
    return undefined;
  }

  private store(pets: readonly ArchivedPet[]): Conflict | undefined {
    let last = this.sequence.last();
    this.database.exec("SAVEPOINT stored");
    for (const archived of pets) {
      const row = rowOf(archived);
      if (Number(this.insert.run(...row).changes) === 0 && !this.has(row)) {
        this.database.exec("ROLLBACK TO stored");
        return { conflict: archived.pet.id };
      }
      const { id } = archived.pet;
      if (id > last && id < SEQUENCE_END) last = id;
    }
    // SQLite has raised it to the highest stored id.
    this.sequence.set(last);
    return undefined;
  }

  private has(row: ArchivedRow): boolean {
    const there = this.select.get(row[0]) as ArchivedRow | undefined;
    return there?.every((value, index) => value === row[index]) ?? false;
  }

  /** The mark has its own table, so that a database without a mark keeps its schema. */
  private mark(mark: string | undefined): void {
    this.database.exec("DROP TABLE IF EXISTS mark");
    if (mark === undefined) return;
    this.database.exec("CREATE TABLE mark (mark TEXT NOT NULL) STRICT");
    this.database.prepare("INSERT INTO mark VALUES (?)").run(mark);
  }
}

function rowOf({ pet, record }: ArchivedPet): ArchivedRow {
  const { id, name, categoryId, status } = pet;
  return [id, name, categoryId, status, record?.key ?? null, record?.fingerprint ?? null];
}
