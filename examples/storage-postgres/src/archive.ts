import { isDeepStrictEqual } from "node:util";
import { type ArchivedPet, PetConflict } from "petstore/storage";
import type pg from "pg";
import { PET } from "./pets.js";

const ARCHIVED = `${PET}, idempotency_key AS key, idempotency_fingerprint AS fingerprint`;

export async function readPets(pool: pg.Pool, after: bigint, limit: number): Promise<ArchivedPet[]> {
  const text = `SELECT ${ARCHIVED} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`;
  return (await pool.query(text, [after, limit])).rows.map(toArchived);
}

export async function storePets(pool: pg.Pool, pets: readonly ArchivedPet[]): Promise<void> {
  await raiseIds(pool, pets.at(-1)?.pet.id ?? 0n);
  const text = `
    INSERT INTO pets (id, name, category_id, status, idempotency_key, idempotency_fingerprint)
    OVERRIDING SYSTEM VALUE
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
    ON CONFLICT DO NOTHING
    RETURNING id`;
  const given = pets.map(toRow);
  const columns = ["id", "name", "categoryId", "status", "key", "fingerprint"] as const;
  const values = columns.map((column) => given.map((row) => row[column]));
  const { rows } = await pool.query<{ id: bigint }>(text, values);
  const stored = new Set(rows.map(({ id }) => id));
  await expectPresent(
    pool,
    given.filter(({ id }) => !stored.has(id)),
  );
}

/** Resolves to a cheap estimate, which is exact if there are few pets. */
export async function countPets(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(`
    SELECT greatest(
      (SELECT count(*) FROM (SELECT FROM pets LIMIT 10000) AS few),
      (SELECT reltuples FROM pg_class WHERE oid = to_regclass('pets'))::bigint
    ) AS count`);
  return Number(rows[0].count);
}

/** Resolves to the last id of the sequence, which may be above the highest stored one. */
export async function highestId(pool: pg.Pool): Promise<bigint> {
  const { rows } = await pool.query(
    "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM pets_id_seq",
  );
  return rows[0].id;
}

export async function raiseIds(pool: pg.Pool, id: bigint): Promise<void> {
  if ((await highestId(pool)) >= id) return;
  // The lock keeps others from taking ids after the sequence is read and before it is changed.
  await pool.query(`
    DO $$ BEGIN
      LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE;
      PERFORM setval('pets_id_seq', ${id}) FROM pets_id_seq WHERE NOT is_called OR last_value < ${id};
    END $$`);
}

/** @throws PetConflict unless the table contains exactly these rows */
async function expectPresent(pool: pg.Pool, given: readonly ReturnType<typeof toRow>[]): Promise<void> {
  const text = `SELECT ${ARCHIVED} FROM pets WHERE id = ANY ($1)`;
  const { rows } = await pool.query(text, [given.map(({ id }) => id)]);
  const found = new Map(rows.map((row) => [row.id, row]));
  const different = given.find((row) => !isDeepStrictEqual(row, found.get(row.id)));
  if (different) throw new PetConflict(different.id);
}

function toRow({ pet: { id, name, categoryId, status }, record }: ArchivedPet) {
  const { key = null, fingerprint = null } = record ?? {};
  return { id, name, categoryId, status, key, fingerprint };
}

function toArchived({ key, fingerprint, ...pet }: pg.QueryResultRow): ArchivedPet {
  return { pet: pet as ArchivedPet["pet"], record: key === null ? undefined : { key, fingerprint } };
}
