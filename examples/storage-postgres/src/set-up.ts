import type { StorageLog } from "petstore/storage";
import type pg from "pg";
import { UnusableDatabase } from "./errors.js";
import { inTransaction } from "./transaction.js";

/**
 * - Ids come from a sequence, which never gives an id again, whether or not the insert succeeds.
 * - The record of an idempotency key is in the pet's own row, so that both are stored or none. The unique
 *   index lets only one create of a key succeed, in any process.
 * - The index on `id + 0` serves lists by status. With an index on `id` PostgreSQL may prefer to read all
 *   pets in order of the primary key and to skip those of another status, even if half a million stand before
 *   the first match.
 */
const TABLES = `
  CREATE TABLE pets (
    id bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME pets_id_seq MAXVALUE 9007199254740991)
      CONSTRAINT pets_pkey PRIMARY KEY,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    idempotency_key text COLLATE "C",
    idempotency_fingerprint text,
    CHECK ((idempotency_key IS NULL) = (idempotency_fingerprint IS NULL))
  );
  CREATE UNIQUE INDEX pets_by_idempotency_key ON pets (idempotency_key);
  CREATE INDEX pets_by_status ON pets (status, (id + 0));
  CREATE TABLE pets_mark (only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one), mark text NOT NULL);
`;

/** "petstore", as the key of an advisory lock. */
const LOCK = 0x70657473;

/**
 * Makes the schema and the tables if they are missing; any number of processes may do so at once. If they are
 * there, it only reads, so that a user needs no right to make tables. It never drops or changes anything.
 *
 * @throws UnusableDatabase
 */
export async function setUp(pool: pg.Pool, schema: string | undefined, log: StorageLog): Promise<void> {
  const { rows } = await pool.query(
    "SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync",
  );
  const { encoding, fsync } = rows[0];
  if (encoding !== "UTF8") {
    throw new UnusableDatabase(
      `The database has the encoding ${encoding}, which cannot keep every name; make one with ENCODING 'UTF8'.`,
    );
  }
  if (fsync === "off") log.warn("PostgreSQL runs with fsync = off: it may lose pets that it acknowledged");
  if (!(await hasTables(pool))) {
    await inTransaction(pool, async (client) => {
      await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
      if (schema) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      if (!(await hasTables(client))) await client.query(TABLES);
    });
  }
  await checkTables(pool);
}

async function hasTables(database: pg.Pool | pg.PoolClient): Promise<boolean> {
  const { rows } = await database.query(
    "SELECT to_regclass('pets') AS pets, to_regclass('pets_mark') AS mark",
  );
  return rows[0].pets !== null && rows[0].mark !== null;
}

/** A table `pets` may be another program's. */
async function checkTables(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(`
    SELECT
      (SELECT array_agg(attname::text ORDER BY attnum) @>
          '{id,name,category_id,status,idempotency_key,idempotency_fingerprint}'
        FROM pg_attribute WHERE attrelid = to_regclass('pets') AND attnum > 0 AND NOT attisdropped)
      AND to_regclass('pets_id_seq') IS NOT NULL
      AND to_regclass('pets_by_status') IS NOT NULL
      AND coalesce((SELECT indisunique FROM pg_index WHERE indexrelid = to_regclass('pets_by_idempotency_key')), false)
      AS fit`);
  if (rows[0].fit) return;
  throw new UnusableDatabase(
    "The database has a table pets that is not petstore's, or lacks its sequence or an index; name another database, or a schema of it with ?schema=NAME.",
  );
}
