import { type ArchivedPet, PetConflict } from "petstore/storage";
import type pg from "pg";
import { inTransaction } from "./transaction.js";

/** The columns under names of their own: the driver's row then has the members of a pet and of its record. */
const ARCHIVED =
  'id, name, category_id AS "categoryId", status, idempotency_key AS key, idempotency_fingerprint AS fingerprint';

/**
 * The highest of two ids: the last one that the sequence gave (or skipped at a crash), and the highest stored
 * one.
 */
const HIGHEST = `
  SELECT greatest(
    (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM pets_id_seq),
    (SELECT max(id) FROM pets)
  ) AS highest`;

export async function readPets(
  pool: pg.Pool,
  { after, limit }: { readonly after: bigint; readonly limit: number },
): Promise<ArchivedPet[]> {
  const text = `SELECT ${ARCHIVED} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`;
  return (await pool.query(text, [after, limit])).rows.map(toArchived);
}

/** Stores all or none. */
export async function storePets(pool: pg.Pool, pets: readonly ArchivedPet[]): Promise<void> {
  await inTransaction(pool, async (client) => {
    await raiseSequence(client, pets.at(-1)?.pet.id ?? 0n);
    const text = `
      INSERT INTO pets (id, name, category_id, status, idempotency_key, idempotency_fingerprint)
      OVERRIDING SYSTEM VALUE
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
      ON CONFLICT DO NOTHING
      RETURNING id`;
    const { rows } = await client.query<{ id: bigint }>(text, [
      pets.map(({ pet }) => pet.id),
      pets.map(({ pet }) => pet.name),
      pets.map(({ pet }) => pet.categoryId),
      pets.map(({ pet }) => pet.status),
      pets.map(({ record }) => record?.key),
      pets.map(({ record }) => record?.fingerprint),
    ]);
    if (rows.length < pets.length) await expectSame(client, pets, new Set(rows.map(({ id }) => id)));
  });
}

/** An estimate that costs little; exact if there are few pets. */
export async function countPets(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(`
    SELECT greatest(
      (SELECT count(*) FROM (SELECT FROM pets LIMIT 10000) AS few),
      (SELECT reltuples FROM pg_class WHERE oid = to_regclass('pets'))::bigint
    ) AS count`);
  return Number(rows[0].count);
}

export async function highestId(pool: pg.Pool | pg.PoolClient): Promise<bigint> {
  return (await pool.query<{ highest: bigint }>(HIGHEST)).rows[0]?.highest ?? 0n;
}

export async function raiseIds(pool: pg.Pool, id: bigint): Promise<void> {
  await inTransaction(pool, (client) => raiseSequence(client, id));
}

/** Locks out inserts: they could take ids between the reading of the sequence and the change. */
async function raiseSequence(client: pg.PoolClient, id: bigint): Promise<void> {
  if ((await highestId(client)) >= id) return;
  await client.query("LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE");
  await client.query(
    "SELECT setval('pets_id_seq', $1) FROM pets_id_seq WHERE $1 > last_value OR ($1 = last_value AND NOT is_called)",
    [id],
  );
}

/** @throws PetConflict unless every pet that was not stored now is there exactly as it was given. */
async function expectSame(
  client: pg.PoolClient,
  pets: readonly ArchivedPet[],
  stored: ReadonlySet<bigint>,
): Promise<void> {
  const present = pets.filter(({ pet }) => !stored.has(pet.id));
  const text = `SELECT ${ARCHIVED} FROM pets WHERE id = ANY ($1)`;
  const { rows } = await client.query(text, [present.map(({ pet }) => pet.id)]);
  const found = new Map(rows.map((row) => [row.id, toArchived(row)]));
  const different = present.find((one) => !isSame(one, found.get(one.pet.id)));
  if (different) throw new PetConflict(different.pet.id);
}

function isSame(one: ArchivedPet, other: ArchivedPet | undefined): boolean {
  return (
    other !== undefined &&
    one.pet.name === other.pet.name &&
    one.pet.categoryId === other.pet.categoryId &&
    one.pet.status === other.pet.status &&
    one.record?.key === other.record?.key &&
    one.record?.fingerprint === other.record?.fingerprint
  );
}

function toArchived({ key, fingerprint, ...pet }: pg.QueryResultRow): ArchivedPet {
  return { pet: pet as ArchivedPet["pet"], record: key === null ? undefined : { key, fingerprint } };
}
