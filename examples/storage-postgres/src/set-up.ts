import type pg from "pg";

/** The database cannot be used as it stands; the message says what to do. */
export class UnusableDatabase extends Error {}

/** Remedies by error code (postgresql.org/docs/current/errcodes-appendix.html). */
const ADVICE: Readonly<Record<string, string>> = {
  "3D000": "The database does not exist; check the URL, or create it with createdb.",
  "28000": "The server rejects the role; check the URL and pg_hba.conf, or create it with createuser.",
  "28P01": "The server rejects the role or its password; check the URL.",
  "42501":
    "The role may not create the table; open the storage once as a role that may, and grant the rights in the README.",
};

/**
 * - Ids come from a sequence, which never assigns an id again, whether or not the insert succeeds.
 * - The record of an idempotency key is in the pet's own row: both are stored, or none. Its unique index lets one create
 *   of a key succeed, in any process.
 * - With an index on `(status, id)` the planner may prefer to walk the primary key past pets of other statuses, even if
 *   half a million stand before the first match. `id + 0` prevents that walk.
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

const COLUMNS =
  "category_id bigint, id bigint, idempotency_fingerprint text, idempotency_key text, name text, status text";

/**
 * Creates the schema and the table if they are missing, in any number of processes at once. If the table exists, it
 * only reads, so that a role needs no right to create tables. @throws UnusableDatabase
 */
export async function setUp(pool: pg.Pool, schema: string | null, mayMake: boolean): Promise<void> {
  try {
    if (await hasTable(pool)) return;
    if (!mayMake) throw new UnusableDatabase("The database has no table pets; check the URL.");
    const createSchema = schema === null ? "" : `CREATE SCHEMA IF NOT EXISTS ${schema};`;
    // Statements that are sent together are one transaction, which holds the lock until its end.
    await pool.query(`SELECT pg_advisory_xact_lock(hashtext('petstore')); ${createSchema} ${TABLE}`);
  } catch (error) {
    const advice = ADVICE[(error as pg.DatabaseError).code ?? ""];
    throw advice ? new UnusableDatabase(advice, { cause: error }) : error;
  }
}

/** Resolves to whether the table exists. @throws UnusableDatabase if it is not ours */
async function hasTable(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(`
    SELECT current_setting('server_encoding') AS encoding,
           to_regclass('pets') IS NOT NULL AS exists,
           to_regclass('pets_id_seq') IS NOT NULL AND to_regclass('pets_by_idempotency_key') IS NOT NULL AS has_parts,
           (SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attname)
            FROM pg_attribute WHERE attrelid = to_regclass('pets') AND attnum > 0 AND NOT attisdropped) AS columns`);
  const { encoding, exists, has_parts, columns } = rows[0];
  if (encoding !== "UTF8") {
    throw new UnusableDatabase(`The database has the encoding ${encoding}; create one with ENCODING 'UTF8'.`);
  }
  if (exists && !(has_parts && columns === COLUMNS)) {
    throw new UnusableDatabase(
      "The table pets belongs to another program; use another schema: ?schema=NAME.",
    );
  }
  return exists;
}
