import type { Creation, IdempotencyRecord, NewPet } from "petstore/storage";
import type pg from "pg";
import { isWorthRepeating } from "./errors.js";
import { COLUMNS, type PetRow, toPet } from "./rows.js";

/** How often an insert is tried. */
const ATTEMPTS = 5;

export interface Insert {
  readonly pet: NewPet;
  readonly record: IdempotencyRecord | undefined;
}

/**
 * One statement for any number of pets. It first takes the ids from the sequence, so that it knows the id of
 * each pet; `OVERRIDING SYSTEM VALUE` lets the column accept them. It leaves out a pet whose key is stored
 * already.
 */
const INSERT = {
  name: "insert",
  text: `
    WITH given AS MATERIALIZED (
      SELECT nextval('pets_id_seq') AS id, *
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[])
        WITH ORDINALITY AS pet (name, category_id, status, key, fingerprint, place)
    ), stored AS (
      INSERT INTO pets (id, name, category_id, status, idempotency_key, idempotency_fingerprint)
      OVERRIDING SYSTEM VALUE
      SELECT id, name, category_id, status, key, fingerprint FROM given
      ON CONFLICT (idempotency_key) DO NOTHING
      RETURNING id
    )
    SELECT place::int, id FROM given JOIN stored USING (id)`,
};

const SELECT_EARLIER = {
  name: "select-earlier",
  text: `SELECT ${COLUMNS}, idempotency_key, idempotency_fingerprint FROM pets WHERE idempotency_key = ANY ($1)`,
};

/**
 * Stores pets in one atomic step. Answers for each pet, in the same order, whether it was stored now or
 * earlier.
 */
export async function insertPets(pool: pg.Pool, inserts: readonly Insert[]): Promise<Creation[]> {
  // Always in the same order: otherwise two processes that insert the same keys could wait for each other.
  const ordered = inserts.map((insert, index) => ({ ...insert, index })).sort(byKey);
  for (let attempt = 1; ; attempt++) {
    try {
      const creations: Creation[] = [];
      const found = await insertOrFind(pool, ordered);
      ordered.forEach(({ index }, place) => {
        creations[index] = found[place] as Creation;
      });
      return creations;
    } catch (error) {
      if (!isWorthRepeating(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function insertOrFind(pool: pg.Pool, inserts: readonly Insert[]): Promise<Creation[]> {
  const { rows } = await pool.query<[place: number, id: bigint]>({
    ...INSERT,
    rowMode: "array",
    values: [
      inserts.map(({ pet }) => pet.name),
      inserts.map(({ pet }) => pet.categoryId),
      inserts.map(({ pet }) => pet.status),
      inserts.map(({ record }) => record?.key),
      inserts.map(({ record }) => record?.fingerprint),
    ],
  });
  const ids = new Map(rows);
  const refused = inserts.filter((_, index) => !ids.has(index + 1));
  const earlier = await selectEarlier(pool, refused);
  return inserts.map(({ pet, record }, index) => {
    const id = ids.get(index + 1);
    if (id !== undefined) return { pet: { id, ...pet }, replayed: undefined };
    const found = record && earlier.get(record.key);
    if (!found) throw new Error("the pet under an idempotency key went away while it was looked for");
    return found;
  });
}

async function selectEarlier(pool: pg.Pool, inserts: readonly Insert[]): Promise<Map<string, Creation>> {
  if (inserts.length === 0) return new Map();
  const { rows } = await pool.query<[...PetRow, key: string, fingerprint: string]>({
    ...SELECT_EARLIER,
    rowMode: "array",
    values: [inserts.map(({ record }) => record?.key)],
  });
  return new Map(rows.map((row) => [row[4], { pet: toPet(row), replayed: row[5] }]));
}

function byKey({ record: one }: Insert, { record: other }: Insert): number {
  const [a, b] = [one?.key ?? "", other?.key ?? ""];
  return a < b ? -1 : a > b ? 1 : 0;
}
