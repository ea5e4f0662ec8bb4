import { type ArchivedPet, PetConflict, SEQUENCE_END } from "petstore/storage";
import type pg from "pg";
import { COLUMNS, type PetRow, toPet } from "./rows.js";
import { inTransaction } from "./transaction.js";

/** The highest that the sequence can give. */
const LAST_ID = 2n ** 53n - 1n;

type ArchivedRow = [...PetRow, key: string | null, fingerprint: string | null];

const ARCHIVED = `${COLUMNS}, idempotency_key, idempotency_fingerprint`;

/**
 * The highest of two ids: the last one that the sequence gave (or skipped at a crash), and the highest stored
 * one.
 */
const HIGHEST = `
  SELECT greatest(
    (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM pets_id_seq),
    (SELECT max(id) FROM pets WHERE id < ${SEQUENCE_END})
  )`;

export async function readPets(
  pool: pg.Pool,
  { after, limit }: { readonly after: bigint; readonly limit: number },
): Promise<ArchivedPet[]> {
  const text = `SELECT ${ARCHIVED} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`;
  const { rows } = await pool.query<ArchivedRow>({ text, rowMode: "array", values: [after, limit] });
  return rows.map(toArchived);
}

/** Stores all or none. */
export async function storePets(pool: pg.Pool, pets: readonly ArchivedPet[]): Promise<void> {
  if (pets.length === 0) return;
  await inTransaction(pool, async (client) => {
    const highest = pets.findLast(({ pet }) => pet.id < SEQUENCE_END)?.pet.id;
    if (highest !== undefined) await raiseSequence(client, highest);
    const text = `
      INSERT INTO pets (${ARCHIVED}) OVERRIDING SYSTEM VALUE
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
      ON CONFLICT DO NOTHING
      RETURNING id`;
    const values = [
      pets.map(({ pet }) => pet.id),
      pets.map(({ pet }) => pet.name),
      pets.map(({ pet }) => pet.categoryId),
      pets.map(({ pet }) => pet.status),
      pets.map(({ record }) => record?.key),
      pets.map(({ record }) => record?.fingerprint),
    ];
    const { rows } = await client.query<[bigint]>({ text, rowMode: "array", values });
    if (rows.length < pets.length) await expectSame(client, pets, new Set(rows.map(([id]) => id)));
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

export async function highestId(pool: pg.Pool): Promise<bigint> {
  const { rows } = await pool.query<[bigint]>({ text: HIGHEST, rowMode: "array" });
  return rows[0]?.[0] ?? 0n;
}

export async function raiseIds(pool: pg.Pool, id: bigint): Promise<void> {
  await inTransaction(pool, (client) => raiseSequence(client, id));
}

export async function writeMark(pool: pg.Pool, mark: string | undefined): Promise<void> {
  if (mark === undefined) await pool.query("DELETE FROM pets_mark");
  else {
    const text = "INSERT INTO pets_mark (mark) VALUES ($1) ON CONFLICT (only_one) DO UPDATE SET mark = $1";
    await pool.query(text, [mark]);
  }
}

export async function readMark(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query("SELECT mark FROM pets_mark");
  return rows[0]?.mark;
}

/** Locks out inserts: they could take ids between the reading of the sequence and the change. */
async function raiseSequence(client: pg.PoolClient, id: bigint): Promise<void> {
  const wanted = id < LAST_ID ? id : LAST_ID;
  const { rows } = await client.query<[bigint]>({ text: HIGHEST, rowMode: "array" });
  if ((rows[0]?.[0] ?? 0n) >= wanted) return;
  await client.query("LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE");
  await client.query(
    "SELECT setval('pets_id_seq', $1) FROM pets_id_seq WHERE $1 > last_value OR ($1 = last_value AND NOT is_called)",
    [wanted],
  );
}

/** @throws PetConflict unless every pet that was not stored now is there exactly as it was given. */
async function expectSame(
  client: pg.PoolClient,
  pets: readonly ArchivedPet[],
  stored: ReadonlySet<bigint>,
): Promise<void> {
  const present = pets.filter(({ pet }) => !stored.has(pet.id));
  const { rows } = await client.query<ArchivedRow>({
    text: `SELECT ${ARCHIVED} FROM pets WHERE id = ANY ($1)`,
    rowMode: "array",
    values: [present.map(({ pet }) => pet.id)],
  });
  const found = new Map(rows.map((row) => [row[0], toArchived(row)]));
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

function toArchived(row: ArchivedRow): ArchivedPet {
  const [, , , , key, fingerprint] = row;
  return { pet: toPet(row), record: key !== null && fingerprint !== null ? { key, fingerprint } : undefined };
}
