import type pg from "pg";

/** The database cannot be used as it stands; the message says what to correct. */
export class UnusableDatabase extends Error {}

/**
 * - Ids come from a sequence, which never gives an id again, whether or not the insert succeeds.
 * - The record of an idempotency key is in the pet's own row: both are stored, or none. Its unique index lets one create
 *   of a key succeed, in any process.
 * - With an index on `(status, id)` the planner may prefer to walk the primary key past pets of other statuses, even if
 *   half a million stand before the first match. `id + 0` keeps it from that.
 */
const TABLE = `
  CREATE TABLE IF NOT EXISTS pets (
    id bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME pets_id_seq MAXVALUE 9007199254740991) PRIMARY KEY,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    idempotency_key text COLLATE "C",
    idempotency_fingerprint text
  );
  CREATE UNIQUE INDEX IF NOT EXISTS pets_by_idempotency_key ON pets (idempotency_key);
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, (id + 0));
`;

/**
 * Makes the schema and the table if they are missing, in any number of processes at once. If the table is there, only
 * reads, so that a role needs no right to make one. @throws UnusableDatabase
 */
export async function setUp(pool: pg.Pool, schema: string | null, mayMake: boolean): Promise<void> {
  const { rows } = await pool.query(
    "SELECT current_setting('server_encoding') AS encoding, to_regclass('pets') IS NOT NULL AS is_there",
  );
  const { encoding, is_there } = rows[0];
  if (encoding !== "UTF8") {
    throw new UnusableDatabase(`The database has the encoding ${encoding}; make one with ENCODING 'UTF8'.`);
  }
  if (is_there) return;
  if (!mayMake) throw new UnusableDatabase("The database has no table pets; correct the URL.");
  const makeSchema = schema === null ? "" : `CREATE SCHEMA IF NOT EXISTS ${schema};`;
  // Statements that are sent together are one transaction, which holds the lock until its end.
  await pool.query(`SELECT pg_advisory_xact_lock(hashtext('petstore')); ${makeSchema} ${TABLE}`);
}
