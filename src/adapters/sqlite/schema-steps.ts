/**
 * What each schema version adds to the one before: a file of version n has run the first n steps. A released step never
 * changes; a new one goes to the end, and runs in one transaction with the others that a file lacks.
 */
export const SCHEMA_STEPS: readonly string[] = [
  // Files of 3.0.0 and later. AUTOINCREMENT never gives an id twice, even if the highest row is gone (sqlite.org/autoinc.html).
  // Every index ends in the rowid, here the id, so the one on status serves ranges of (status, id).
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
