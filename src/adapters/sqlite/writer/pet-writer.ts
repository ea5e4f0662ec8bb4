import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { ArchivedPet } from "../../../application/ports/pet-archive.js";
import { APPLICATION_ID } from "../migrations.js";
import { ALL_COLUMNS, type ArchivedRow, type NewRow, toNewRow } from "../rows.js";
import type { Conflict, Created, Work } from "./messages.js";

/** Writes pets in the open transaction, which `thread.ts` begins and commits. */
export class PetWriter {
  private readonly insert: StatementSyncInstance;
  private readonly insertMissing: StatementSyncInstance;
  private readonly selectById: StatementSyncInstance;
  private readonly selectByKey: StatementSyncInstance;

  constructor(private readonly database: DatabaseSyncInstance) {
    const insert = `INSERT INTO pets (${ALL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`;
    this.insert = database.prepare(insert);
    this.insertMissing = database.prepare(`${insert} ON CONFLICT DO NOTHING`);
    this.selectById = database.prepare(`SELECT ${ALL_COLUMNS} FROM pets WHERE id = ?`);
    this.selectByKey = database.prepare(`SELECT ${ALL_COLUMNS} FROM pets WHERE idempotency_key = ?`);
  }

  write(work: Work): unknown {
    switch (work.does) {
      case "create":
        return this.create(work.row);
      case "storePets":
        return this.store(work.pets);
      case "raiseIds":
        return this.raiseIds(work.id);
      case "probe":
        this.database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
        return undefined;
    }
  }

  private create(row: NewRow): Created {
    const key = row[3];
    const earlier = key !== null && (this.selectByKey.get(key) as ArchivedRow | undefined);
    if (earlier) return earlier;
    // Without an id AUTOINCREMENT gives the next one.
    return this.insert.run(null, ...row).lastInsertRowid as bigint;
  }

  private store(pets: readonly ArchivedPet[]): Conflict {
    this.database.exec("SAVEPOINT stored");
    for (const { pet, record } of pets) {
      const row: ArchivedRow = [pet.id, ...toNewRow(pet, record)];
      if (Number(this.insertMissing.run(...row).changes) === 0 && !this.has(row)) {
        this.database.exec("ROLLBACK TO stored");
        return pet.id;
      }
    }
    return undefined;
  }

  private has(row: ArchivedRow): boolean {
    const there = this.selectById.get(row[0]) as ArchivedRow | undefined;
    return there?.every((value, index) => value === row[index]) ?? false;
  }

  /** AUTOINCREMENT keeps the last id in sqlite_sequence, which has no row before the first pet. */
  private raiseIds(id: bigint): undefined {
    const raise = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'pets'";
    if (this.database.prepare(raise).run(id).changes) return;
    this.database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)").run(id);
  }
}
