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
