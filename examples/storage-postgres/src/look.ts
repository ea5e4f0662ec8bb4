import type { StorageSight } from "petstore/storage";
import { makePool, optionsOf } from "./pool.js";

/** Looks at a database without changing it. */
export async function look(url: string): Promise<StorageSight> {
  const pool = makePool(url);
  try {
    const text = `
      SELECT
        to_regclass('pets') IS NOT NULL AS exists,
        (SELECT system_identifier FROM pg_control_system()) || '/'
          || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/'
          || coalesce(current_schema(), $1) AS identity,
        EXISTS (
          SELECT FROM pg_stat_activity
          WHERE application_name = current_setting('application_name') AND datname = current_database() AND pid <> pg_backend_pid()
        ) AS in_use,
        coalesce(pg_total_relation_size(to_regclass('pets')), 0)::text AS bytes`;
    const { rows } = await pool.query(text, [optionsOf(url).schema]);
    const { exists, identity, in_use: inUse, bytes } = rows[0];
    return { exists, identity, inUse, bytes: Number(bytes) };
  } finally {
    await pool.end();
  }
}
