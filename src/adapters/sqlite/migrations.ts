import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** Marks a file as this program's ("pets" in ASCII), so that it writes into no other database. */
export const APPLICATION_ID = 0x70657473;

/**
 * Brings a database forward to the newest version, in one transaction. Processes that start at once wait for
 * each other.
 *
 * @throws Error if the file has a newer version
 */
export function migrate(database: DatabaseSyncInstance, steps: readonly string[]): void {
  if (numberOf(database, "PRAGMA user_version") === steps.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = numberOf(database, "PRAGMA user_version");
    refuseNewer(version, steps);
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** @throws Error if the file has another version, or none */
export function refuseOlder(database: DatabaseSyncInstance, steps: readonly string[]): void {
  const version = numberOf(database, "PRAGMA user_version");
  refuseNewer(version, steps);
  if (version === 0) throw new Error("no pets were ever kept in it; name another file.");
  if (version < steps.length) {
    throw new Error(`its schema version is ${version}, not ${steps.length}; start the service on it once.`);
  }
}

function refuseNewer(version: number, steps: readonly string[]): void {
  if (version <= steps.length) return;
  throw new Error(
    `its schema version is ${version}, and this program knows only ${steps.length}; run the newer program.`,
  );
}

/** @throws Error if nothing was ever kept in the database; the mark says that it had pets */
export function refuseEmpty(database: DatabaseSyncInstance, mark: string): void {
  if (numberOf(database, "PRAGMA user_version") > 0) return;
  throw new Error(`it is empty, and had pets; restore it from a backup, or give them up: delete ${mark}.`);
}

/** @throws Error if the database belongs to another program */
export function refuseForeign(database: DatabaseSyncInstance): void {
  // In this order: another process that makes the file meanwhile sets the id as the tables appear.
  const empty = numberOf(database, "SELECT count(*) FROM sqlite_schema") === 0;
  const id = numberOf(database, "PRAGMA application_id");
  if (id === APPLICATION_ID || (id === 0 && empty)) return;
  throw new Error("it is the database of another program; name another file.");
}

export function numberOf(database: DatabaseSyncInstance, sql: string): number {
  return Number(Object.values(database.prepare(sql).get())[0]);
}
