import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { ArchivedPet } from "../../../application/ports/pet-archive.js";
import { ALL_COLUMNS, type ArchivedRow, type NewRow, toNewRow } from "../rows.js";

/** What the writing thread does with pets. */
export function petWrites(database: DatabaseSyncInstance) {
  const sql = `INSERT INTO pets (${ALL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`;
  const insert = database.prepare(sql);
  const insertMissing = database.prepare(`${sql} ON CONFLICT DO NOTHING`);
  const selectById = database.prepare(`SELECT ${ALL_COLUMNS} FROM pets WHERE id = ?`);
  const selectByKey = database.prepare(`SELECT ${ALL_COLUMNS} FROM pets WHERE idempotency_key = ?`);

  function has(row: ArchivedRow): boolean {
    const there = selectById.get(row[0]) as ArchivedRow | undefined;
    return there?.every((value, index) => value === row[index]) ?? false;
  }

  return {
    /** The id of the new pet, or the pet that is there already under its key. */
    createPet(row: NewRow): bigint | ArchivedRow {
      const key = row[3];
      const earlier = key !== null && (selectByKey.get(key) as ArchivedRow | undefined);
      if (earlier) return earlier;
      // Without an id AUTOINCREMENT gives the next one.
      return insert.run(null, ...row).lastInsertRowid as bigint;
    },

    /** The id of the first pet that conflicts with a stored one, so that none is stored. */
    storePets(pets: readonly ArchivedPet[]): bigint | undefined {
      database.exec("SAVEPOINT stored");
      for (const { pet, record } of pets) {
        const row: ArchivedRow = [pet.id, ...toNewRow(pet, record)];
        if (Number(insertMissing.run(...row).changes) === 0 && !has(row)) {
          database.exec("ROLLBACK TO stored");
          return pet.id;
        }
      }
      return undefined;
    },

    /** AUTOINCREMENT keeps the last id in sqlite_sequence, which has no row before the first pet. */
    raisePetIds(id: bigint): void {
      const raise = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'pets'";
      if (database.prepare(raise).run(id).changes) return;
      database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)").run(id);
    },
  };
}
