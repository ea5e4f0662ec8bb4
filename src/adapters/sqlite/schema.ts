import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** Marks a file as ours ("pets" in ASCII). */
const APPLICATION_ID = 0x70657473;

/** The schema version, in `user_version`. Files of 3.0.0 have the same. */
const VERSION = 1;

// AUTOINCREMENT never gives an id twice, even if the highest row is gone (sqlite.org/autoinc.html).
// Every index ends in the rowid, here the id, so the one on status serves ranges of (status, id).
const SCHEMA = `
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    idempotency_key TEXT,
    idempotency_fingerprint TEXT
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status);
  CREATE UNIQUE INDEX pets_by_idempotency_key ON pets (idempotency_key) WHERE idempotency_key IS NOT NULL;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${VERSION};`;

/** Creates the tables, unless another process has. */
export function ensureSchema(database: DatabaseSyncInstance): void {
  database.exec("BEGIN IMMEDIATE");
  if (!hasSchema(database)) database.exec(SCHEMA);
  database.exec("COMMIT");
}

/** Whether the file has our schema; false if it is empty. @throws Error if it has anything else */
export function hasSchema(database: DatabaseSyncInstance): boolean {
  // One statement for a consistent snapshot: another process may be creating the tables.
  const [tables, ours, application, version] = database
    .prepare(
      `SELECT (SELECT count(*) FROM sqlite_schema),
              (SELECT count(*) FROM sqlite_schema WHERE name = 'pets_by_idempotency_key'),
              application_id, user_version FROM pragma_application_id, pragma_user_version`,
    )
    .get()
    .map(Number);
  if (application === 0 && tables === 0) return false;
  if (application === 0 && ours === 1) {
    throw new Error("it was made from a .dump, which leaves out its version; use .backup instead.");
  }
  if (application !== APPLICATION_ID) {
    throw new Error("it is the database of another program; name another file.");
  }
  if (version > VERSION) {
    throw new Error(
      `its schema version is ${version}, and this program knows only ${VERSION}; run the newer program.`,
    );
  }
  return version === VERSION;
}
