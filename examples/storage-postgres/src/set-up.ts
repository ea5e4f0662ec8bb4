import type pg from "pg";
import { inTransaction } from "./transaction.js";

/** The database cannot be used as it stands; the message says what to correct. */
export class UnusableDatabase extends Error {}

/**
 * - Ids come from a sequence, which never gives an id again, whether or not the insert succeeds.
 * - The record of an idempotency key is in the pet's own row, so that both are stored or none. The unique
 *   index lets only one create of a key succeed, in any process.
 * - The index on `id + 0` serves lists by status. With an index on `id` PostgreSQL may prefer to read all
 *   pets in order of the primary key and to skip those of another status, even if half a million stand before
 *   the first match.
 */
const TABLE = `
  CREATE TABLE pets (
    id bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME pets_id_seq MAXVALUE 9007199254740991) PRIMARY KEY,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    idempotency_key text COLLATE "C",
    idempotency_fingerprint text
  );
  CREATE UNIQUE INDEX pets_by_idempotency_key ON pets (idempotency_key);
  CREATE INDEX pets_by_status ON pets (status, (id + 0));
`;

/** "petstore", as the key of an advisory lock. */
const LOCK = 0x70657473;

/**
 * Makes the schema and the table if they are missing; any number of processes may do so at once. If they are
 * there, it only reads, so that a user needs no right to make tables. It never drops or changes anything.
 *
 * @throws UnusableDatabase, also if the table is missing and may not be made
 */
export async function setUp(pool: pg.Pool, schema: string | null, mayMake: boolean): Promise<void> {
  const { rows } = await pool.query("SELECT current_setting('server_encoding') AS encoding");
  const { encoding } = rows[0];
  if (encoding !== "UTF8") {
    throw new UnusableDatabase(
      `The database has the encoding ${encoding}, which cannot keep every name; make one with ENCODING 'UTF8'.`,
    );
  }
  if (await hasTable(pool)) return;
  if (!mayMake) throw new UnusableDatabase("The database has no table pets; correct the URL.");
  await inTransaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    if (schema !== null) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    if (!(await hasTable(client))) await client.query(TABLE);
  });
}

/** The table, wherever it is: under whatever name of the server, and of the same one alone. */
export async function identityOf(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query(`
    SELECT concat_ws(' ', system_identifier, pg_database.oid, to_regclass('pets')::oid) AS identity
    FROM pg_control_system(), pg_database WHERE datname = current_database()`);
  return rows[0].identity;
}

async function hasTable(database: pg.Pool | pg.PoolClient): Promise<boolean> {
  const { rows } = await database.query("SELECT to_regclass('pets') AS pets");
  return rows[0].pets !== null;
}
