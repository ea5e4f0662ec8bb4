import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { isBusy, unusable } from "./sqlite-errors.js";

/** How long to wait for another process's lock (ms): clients get a response within 5 s. */
const LOCK_TIMEOUT = 4000;

/** Size to which the write-ahead log shrinks once a long read has let it grow (bytes). */
const MAX_IDLE_LOG = 16 * 1024 * 1024;

/** Marks a file as ours ("pets" in ASCII). */
const APPLICATION_ID = 0x70657473;

/**
 * The steps of the schema: a file of version n has run the first n. A released step never changes; a new one
 * goes to the end. All steps that a file lacks run in one transaction.
 */
export const SCHEMA_STEPS: readonly string[] = [
  // Since 3.0.0. AUTOINCREMENT assigns no id twice, even if the last row is gone (sqlite.org/autoinc.html).
  // Every index ends in the rowid, here the id, so `pets_by_status` serves ranges of (status, id).
  `CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    idempotency_key TEXT,
    idempotency_fingerprint TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status);
  CREATE UNIQUE INDEX IF NOT EXISTS pets_by_idempotency_key ON pets (idempotency_key) WHERE idempotency_key IS NOT NULL`,
];

export interface DatabaseFile {
  readonly path: string;
  /** Whether to create a missing file, and to upgrade its schema. If false, opening it writes nothing. */
  readonly mayMake: boolean;
}

/** Opens a file for writes. Blocks on locks and on the disk. @throws Error that says how to fix the file */
export function openToWrite({ path, mayMake }: DatabaseFile, steps = SCHEMA_STEPS): DatabaseSyncInstance {
  let database: DatabaseSyncInstance | undefined;
  try {
    if (mayMake) mkdirSync(dirname(path), { recursive: true });
    else if (!existsSync(path)) throw new Error("it does not exist; check the path.");
    database = new DatabaseSync(path, { returnArrays: true, timeout: LOCK_TIMEOUT });
    // SQLite itself opens read-only files without an error.
    const files = mayMake ? [path, `${path}-wal`].filter((file) => existsSync(file)) : [];
    for (const file of files) accessSync(file, constants.W_OK);
    // Rejects a foreign or newer file before anything changes in it.
    const version = versionOf(database, steps.length);
    if (mayMake) switchToWal(database);
    else if (version < steps.length) {
      throw new Error("it is empty, or too old; check the path, or start the service on it once.");
    }
    // A current file opens while another program holds the write lock, e.g. for a VACUUM.
    if (version < steps.length) upgrade(database, steps);
    // Each commit waits for the disk (sqlite.org/pragma.html#pragma_synchronous).
    database.exec(`PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${MAX_IDLE_LOG}`);
    return database;
  } catch (error) {
    database?.close();
    throw unusable(path, error);
  }
}

/** Returns the `user_version` of a file; 0 if it is empty. @throws Error if it is not ours, or newer */
function versionOf(database: DatabaseSyncInstance, latest: number): number {
  // One statement for a consistent snapshot: another process may be creating the tables.
  const [tables, application, version] = database
    .prepare(
      `SELECT (SELECT count(*) FROM sqlite_schema), application_id, user_version
       FROM pragma_application_id, pragma_user_version`,
    )
    .get();
  if (application === 0 && tables === 0) return 0;
  if (application !== APPLICATION_ID) {
    throw new Error(
      "it belongs to another program, or was restored from a .dump, which drops the schema version; check the path, or " +
        "restore a .backup instead.",
    );
  }
  if (version > latest) {
    throw new Error(`its schema version is ${version}, newer than ${latest}; upgrade petstore.`);
  }
  return version;
}

/** Runs the steps that a file lacks, unless another process has run them. */
function upgrade(database: DatabaseSyncInstance, steps: readonly string[]): void {
  database.exec("BEGIN IMMEDIATE");
  const missing = steps.slice(versionOf(database, steps.length));
  if (missing.length > 0) {
    missing.push(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
    database.exec(missing.join(";\n"));
  }
  database.exec("COMMIT");
}

function switchToWal(database: DatabaseSyncInstance): void {
  try {
    database.exec("PRAGMA journal_mode = WAL");
  } catch (error) {
    if (!isBusy(error)) throw error;
    // SQLite's timeout does not cover the switch while another process writes or switches; it covers this.
    database.exec("BEGIN EXCLUSIVE; ROLLBACK");
    switchToWal(database);
  }
}
