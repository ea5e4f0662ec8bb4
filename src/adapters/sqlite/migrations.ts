import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/**
 * The schema, step by step: the step at index n leads from version n to n + 1. Never change a released step;
 * add new ones at the end.
 */
export const MIGRATIONS: readonly string[] = [
  // AUTOINCREMENT never gives an id twice, even once the highest row is gone (sqlite.org/autoinc.html).
  // The index on status ends in the id, as every index does in its rowid: it serves (status, id) ranges.
  `CREATE TABLE pets (
     id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
     idempotency_key TEXT,
     idempotency_fingerprint TEXT
   ) STRICT;
   CREATE INDEX pets_by_status ON pets (status);
   CREATE UNIQUE INDEX pets_by_idempotency_key ON pets (idempotency_key) WHERE idempotency_key IS NOT NULL;`,
];

/** Marks a file as this program's ("pets" in ASCII), so that it writes into no other database. */
export const APPLICATION_ID = 0x70657473;

/**
 * Brings a database forward to the newest version, in one transaction. Processes that start at once wait for
 * each other.
 *
 * @throws Error if the file has a newer version, or belongs to another program.
 */
export function migrate(database: DatabaseSyncInstance, steps: readonly string[]): void {
  if (versionOf(database) === steps.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database);
    if (version > steps.length) {
      throw new Error(
        `its schema version is ${version}, and this program knows only ${steps.length}; run the newer program.`,
      );
    }
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${steps.length}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** @throws Error if the database belongs to another program. */
export function versionOf(database: DatabaseSyncInstance): number {
  const { user_version: version } = database.prepare("PRAGMA user_version").get();
  const { application_id: id } = database.prepare("PRAGMA application_id").get();
  const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get();
  const foreign = id === APPLICATION_ID ? false : id !== 0 || tables > 0;
  if (foreign) throw new Error("it is the database of another program; name another file.");
  return version;
}
